// The types that can be erased, and those whose records an erasure counts, by their names.
import { expect, test } from 'vitest';
import { builtinCatalog } from '../custom/build-catalog.ts';
import { isErasable } from './erasable.ts';
import { isNote } from './notes.ts';

const types = [...builtinCatalog.objectTypes.values()];

test('everything can be erased but timers and platform records, except views', () => {
  const platform = types.filter(({ category }) => category === 'platform').map(({ name }) => name);
  const kept = types.filter((type) => !isErasable(type)).map(({ name }) => name);
  expect(kept.toSorted()).toEqual([...platform.filter((name) => name !== 'svc_view'), 'svc_stage_timer'].toSorted());
});

test('a note is a record of svc_note', () => {
  expect(types.filter(isNote).map(({ name }) => name)).toEqual(['svc_note']);
});
