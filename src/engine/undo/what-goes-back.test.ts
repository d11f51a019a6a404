// What goes back of one record, where histories over the API cannot lead: the changes of an import, which is many
// transactions, with changes of others between them.
import { expect, test } from 'vitest';
import type { LaterChange } from '../../store/feed/requests.ts';
import { type OwnEvent, whatGoesBack } from './what-goes-back.ts';

const event = (seq: number, kind: OwnEvent['kind'], more: Partial<OwnEvent> = {}): OwnEvent => ({
  seq,
  kind,
  version: seq,
  changed: {},
  leftOut: [],
  link: undefined,
  ...more,
});
const updated = (seq: number, changed: OwnEvent['changed'], leftOut: readonly string[] = []) =>
  event(seq, 'record.updated', { changed, leftOut });
const link = (targetId: string) => ({ associationTypeId: 2, targetTypeId: 2, targetId, isSeen: true });
const later = (seq: number, about: LaterChange['about'], more: Partial<LaterChange> = {}): LaterChange => ({
  recordId: 'r',
  about,
  key: null,
  associationTypeId: null,
  targetId: null,
  seq,
  ...more,
});
const toOne = () => true;
const toMany = () => false;

test('a value goes back to what others set between two changes, and the first change is kept', () => {
  const events = [updated(1, { name: { old: 'a', new: 'b' } }), updated(5, { name: { old: 'c', new: 'd' } })];
  expect(whatGoesBack(events, [later(3, 'value', { key: 'name' })], toMany)).toMatchObject({
    values: new Map([['name', { value: 'c' }]]),
    kept: true,
  });
  expect(whatGoesBack(events, [later(7, 'value', { key: 'name' })], toMany)).toMatchObject({
    values: new Map(),
    kept: true,
  });
  expect(whatGoesBack(events, [later(7, 'value', { key: 'other' })], toMany)).toMatchObject({
    values: new Map([['name', { value: 'a' }]]),
    kept: false,
  });
});

test('a value that was unset is cleared, and a long one is found by the version that replaced it', () => {
  const events = [updated(4, { name: { new: 'a' }, text: { old: null, new: 'short' } }, ['text'])];
  expect(whatGoesBack(events, [], toMany).values).toEqual(
    new Map<string, unknown>([
      ['name', { value: null }],
      ['text', { replacedBy: 4 }],
    ]),
  );
});

test('the target of a link that takes one is one thing, and links that take many are one each', () => {
  const events = [
    event(1, 'association.deleted', { link: link('A') }),
    event(2, 'association.created', { link: link('B') }),
  ];
  const moved = [
    later(3, 'link', { associationTypeId: 2, targetId: 'B' }),
    later(4, 'link', { associationTypeId: 2, targetId: 'C' }),
  ];
  expect(whatGoesBack(events, [], toOne).links).toEqual([{ ...link('A'), change: 'made' }]);
  expect(whatGoesBack(events, moved, toOne)).toMatchObject({ links: [], kept: true });
  expect(whatGoesBack(events, moved, toMany)).toMatchObject({ links: [{ ...link('A'), change: 'made' }], kept: true });
  const there = [
    ...events,
    event(3, 'association.deleted', { link: link('B') }),
    event(4, 'association.created', { link: link('A') }),
  ];
  expect(whatGoesBack(there, [], toOne)).toMatchObject({ links: [], kept: false });
});

test('a link that was only given another date gets its former one back, unless others have changed it since', () => {
  const was = { ...link('A'), linkedAtMs: 7 };
  const events = [
    event(1, 'association.deleted', { link: was }),
    event(2, 'association.created', { link: link('A') }),
    event(3, 'association.deleted', { link: { ...link('A'), linkedAtMs: 9 } }),
    event(4, 'association.created', { link: link('A') }),
  ];
  expect(whatGoesBack(events, [], toOne).links).toEqual([{ ...was, change: 'dated' }]);
  const moved = [later(5, 'link', { associationTypeId: 2, targetId: 'B' })];
  expect(whatGoesBack(events, moved, toOne)).toMatchObject({ links: [], kept: true });
});

test('a link to a record that is not in sight was none: what came in its place is removed', () => {
  const hidden = { ...link('A'), isSeen: false };
  const events = [
    event(1, 'association.deleted', { link: hidden }),
    event(2, 'association.created', { link: link('B') }),
  ];
  expect(whatGoesBack(events, [], toOne)).toMatchObject({ links: [{ ...link('B'), change: 'removed' }], kept: false });
  const back = [
    event(1, 'association.deleted', { link: link('B') }),
    event(2, 'association.created', { link: hidden }),
  ];
  expect(whatGoesBack(back, [], toOne).links).toEqual([{ ...link('B'), change: 'made' }]);
  const unseen = [event(1, 'association.created', { link: hidden })];
  const moved = [later(2, 'link', { associationTypeId: 2, targetId: 'A' })];
  expect(whatGoesBack(unseen, moved, toMany)).toMatchObject({ links: [], kept: false });
});

test('a record that was created goes to the trash only if nobody has changed anything of it', () => {
  const made = [event(1, 'record.created'), updated(2, { name: { new: 'a' } })];
  expect(whatGoesBack(made, [], toMany)).toMatchObject({ life: 'to_trash', values: new Map(), kept: false });
  expect(whatGoesBack(made, [later(3, 'link')], toMany)).toMatchObject({ life: undefined, kept: true });
  const gone = [...made, event(3, 'record.deleted')];
  expect(whatGoesBack(gone, [], toMany)).toMatchObject({ life: undefined, kept: false });
});

test('a record that was deleted or restored returns to where it was, unless others have moved it since', () => {
  const deleted = [event(1, 'record.deleted')];
  expect(whatGoesBack(deleted, [], toMany)).toMatchObject({ life: 'to_live', kept: false });
  expect(whatGoesBack(deleted, [later(2, 'life')], toMany)).toMatchObject({ life: undefined, kept: true });
  const restored = [event(1, 'record.restored')];
  expect(whatGoesBack(restored, [], toMany)).toMatchObject({ life: 'to_trash', kept: false });
  expect(whatGoesBack(restored, [later(2, 'value', { key: 'name' })], toMany)).toMatchObject({
    life: undefined,
    kept: true,
  });
  const both = [event(1, 'record.deleted'), event(2, 'record.restored')];
  expect(whatGoesBack(both, [], toMany)).toMatchObject({ life: undefined, kept: false });
});
