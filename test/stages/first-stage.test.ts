// The first status of a note: the first one that everybody sees at that moment, or the one that the request names.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { make, pathOfRecord, type RecordData, recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await service.newClient();
});
afterAll(() => service.stop());

async function statusOf(note: Pick<RecordData, 'object_type' | 'id'>): Promise<unknown> {
  const { body } = await client.get(`${pathOfRecord(note)}associations/svc_note_to_note_pipeline_stage/`);
  return body.data.map((each: RecordData) => each.properties['svc_name']);
}

test('a new org has its pipelines, statuses and stages, in their order', async () => {
  const names = async (type: string) => {
    const { body } = await client.get(recordsPath(type));
    return body.data.map(({ properties }: RecordData) =>
      [properties['svc_name'], properties['svc_position'], properties['svc_probability'], properties['svc_closed']]
        .filter((each) => each !== undefined && each !== false)
        .join(' '),
    );
  };
  expect(await names('svc_deal_pipeline_stage')).toEqual([
    'Qualification 1 10',
    'Discovery 2 25',
    'Proposal 3 50',
    'Negotiation 4 75',
    'Won 5 100 true',
    'Lost 6 0 true',
  ]);
  expect(await names('svc_note_pipeline_stage')).toEqual(['To Do 1', 'In Progress 2', 'Complete 3 true']);
  expect(await names('svc_contact_lifecycle_stage')).toEqual([
    'Awareness 1',
    'Interest 2',
    'Consideration 3',
    'Evaluation 4',
    'Customer 5',
  ]);
  expect([await names('svc_deal_pipeline'), await names('svc_note_pipeline')].flat()).toHaveLength(2);
});

test('a note begins as To Do, however it is made, unless another status is named', async () => {
  expect(await statusOf(await make(client, 'svc_note'))).toEqual(['To Do']);
  const { body } = await client.get(recordsPath('svc_note_pipeline_stage'));
  const link = { association_type: 'svc_note_to_note_pipeline_stage', target_id: body.data[1].id };
  expect(await statusOf(await make(client, 'svc_note', {}, [link]))).toEqual(['In Progress']);
  const tried = await client.post(recordsPath('svc_note'), { properties: {} }, { 'svc-dry-run': 'true' });
  expect([tried.status, tried.body.dry_run]).toEqual([201, true]);
});

test('items of a batch see the statuses that earlier items made', async () => {
  const own = await service.newClient();
  const note = { operation: 'create', object_type: 'svc_note', properties: {} };
  const first = { svc_name: 'Inbox', svc_position: '0' };
  const status = { operation: 'create', object_type: 'svc_note_pipeline_stage', properties: first };
  const { body } = await own.post('/batch/', { operations: [note, status, note] });
  const [before, , after] = body.data.results as readonly { readonly id: string }[];
  const names = await Promise.all(
    [before, after].map(async (each) => {
      const path = `/objects/svc_note/records/${each?.id}/associations/svc_note_to_note_pipeline_stage/`;
      return (await own.get(path)).body.data[0].properties.svc_name;
    }),
  );
  expect(names).toEqual(['To Do', 'Inbox']);
});
