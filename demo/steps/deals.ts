// The deals of the demo: opened, moved from stage to stage, changed on the way, and won or lost. Also the second pipeline,
// which the demo org adds to the default one.

import { renewals } from '../story/deals.ts';
import type { Calendar } from './calendar.ts';
import { type Account, firstWorkday, type PlayedDeal } from './cast.ts';
import { Random } from './random.ts';
import { associate, create, link, type Step, stageAs, update } from './step.ts';

const stageType = 'svc_deal_pipeline_stage';

export function pipelineSteps(calendar: Calendar): readonly Step[] {
  const atMs = calendar.moment(firstWorkday - 0.2);
  const { name, stages, won, lost } = renewals;
  const pipeline = `svc_deal_pipeline/${name}`;
  const open = stages.map((stage) => [stage.name, stage.probability, false] as const);
  const all = [...open, [won, '100', true] as const, [lost, '0', true] as const];
  return [
    create(atMs, 'svc_deal_pipeline', pipeline, {
      svc_name: name,
      svc_position: '2',
      svc_description: 'Subscriptions that come to the end of their term.',
    }),
    ...all.map(([stage, probability, closed], index) =>
      create(
        atMs,
        stageType,
        stageAs(stageType, stage),
        {
          svc_name: stage,
          svc_position: String(index + 1),
          svc_probability: probability,
          svc_closed: closed,
        },
        [link('svc_deal_pipeline_stage_to_deal_pipeline', pipeline)],
      ),
    ),
  ];
}

export function dealSteps(accounts: readonly Account[], calendar: Calendar): readonly Step[] {
  return accounts.flatMap((account) => account.deals.flatMap((deal) => stepsOf(account, deal, calendar)));
}

function stepsOf(account: Account, deal: PlayedDeal, calendar: Calendar): readonly Step[] {
  const random = new Random(`steps of ${deal.key}`);
  const { ref, amount, unit, entered, outcome, from, until } = deal;
  const [first, ...moves] = entered;
  const hoped = calendar.day(outcome === 'open' ? -random.whole(6, 45) : until - random.whole(-6, 8));
  const asked = random.chance(0.4)
    ? String(Math.round((Number(amount) * random.between(0.8, 1.35)) / 500) * 500)
    : amount;
  const inStage = (stage: string) => link('svc_deal_to_deal_pipeline_stage', stageAs(stageType, stage));
  const steps: Step[] = [
    create(
      calendar.moment(from),
      'svc_deal',
      ref,
      { svc_name: deal.name, svc_amount: { amount: asked, unit }, svc_close_date: hoped },
      [
        link('svc_deal_to_company', account.ref),
        ...deal.members.map((member) => link('svc_deal_to_contact', member.ref)),
        link('svc_record_to_user', deal.owner),
        inStage(first?.stage ?? ''),
      ],
    ),
    ...moves.map(({ stage, workdaysAgo }) => associate(calendar.moment(workdaysAgo), 'svc_deal', ref, inStage(stage))),
  ];
  // The first estimate is often corrected with the first move.
  const correctedAgo = moves[0]?.workdaysAgo ?? (from + until) / 2;
  if (asked !== amount)
    steps.push(update(calendar.moment(correctedAgo), 'svc_deal', ref, { svc_amount: { amount, unit } }));
  if (outcome !== 'open') {
    steps.push(update(calendar.moment(until), 'svc_deal', ref, { svc_close_date: calendar.day(until) }));
  }
  return steps;
}
