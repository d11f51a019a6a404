// Deals of a pipeline of their own, whose times in stages are known to the day.

import { ImportFolder } from '../import/driver.ts';
import type { ConsoleWorld } from './console-world.ts';

const dayMs = 86_400_000;

/** Two won, one lost, and two open ones that were made 10 and 20 days ago. */
export async function trialDeals(world: ConsoleWorld): Promise<void> {
  const admin = await world.administrator();
  const { data: pipeline } = await admin.records('svc_deal_pipeline').create({ svc_name: 'Trials' });
  const link = { association_type: 'svc_deal_pipeline_stage_to_deal_pipeline', target_id: pipeline.id };
  for (const [index, [name, closed, probability]] of stages.entries()) {
    const values = {
      svc_name: name,
      svc_position: String(index + 1),
      svc_closed: closed,
      svc_probability: probability,
    };
    await admin.records('svc_deal_pipeline_stage').create(values, { associations: [link] });
  }
  const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
  await bring(world, 'svc_deal', {
    head: 'Hub;Deal name;Stage;Create date',
    rows: [
      `t1;First;Trial done;${ago(400)}`,
      `t2;Second;Trial done;${ago(400)}`,
      `t3;Third;Trial lost;${ago(400)}`,
      `t4;Fourth;Trial two;${ago(10)}`,
      `t5;Fifth;Trial one;${ago(20)}`,
    ],
    map: { Hub: { external_id: true, source: 'trial' }, Stage: { association: stageLink, by: 'title' } },
  });
  await bring(world, 'svc_stage_timer', {
    head: 'Hub;Stage;Entered;Left',
    rows: [
      't1;Trial one;2023-01-01;2023-01-11',
      't1;Trial two;2023-01-11;2023-01-31',
      't1;Trial done;2023-01-31;',
      't2;Trial one;2023-01-01;2023-01-05',
      't2;Trial done;2023-01-05;',
      't3;Trial one;2023-01-01;2023-01-03',
      't3;Trial lost;2023-01-03;',
      't4;Trial one;2023-01-01;2023-01-09',
      't4;Trial two;2023-01-09;',
    ],
    map: { Hub: { association: 'svc_stage_timer_to_deal', by: 'external_id', source: 'trial' } },
  });
}

const stageLink = 'svc_deal_to_deal_pipeline_stage';
const stages = [
  ['Trial one', false, '20'],
  ['Trial two', false, '60'],
  ['Trial done', true, '100'],
  ['Trial lost', true, '0'],
] as const;

interface Brought {
  readonly head: string;
  readonly rows: readonly string[];
  readonly map: Readonly<Record<string, unknown>>;
}

async function bring({ service, orgId }: ConsoleWorld, type: string, { head, rows, map }: Brought): Promise<void> {
  const folder = await ImportFolder.make();
  const { result, failure } = await folder.run(service, orgId, type, `${[head, ...rows].join('\n')}\n`, { map });
  await folder.remove();
  if (result?.refused !== 0) throw failure ?? new Error(`${type}: ${result?.refused} rows were refused.`);
}
