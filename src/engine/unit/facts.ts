// The facts about the records of a unit: the difference between the stored ones and those of its drafts.
import { factValues } from '../../schema/indexing/fact-slots.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { FactValues, LinkColumn } from '../../schema/slots.ts';
import type { NewLink } from '../../store/records/associations.ts';
import type { FactRow, NewFactRow, RelinkedRow } from '../../store/records/facts.ts';
import type { Draft } from './draft.ts';

interface WrittenFacts {
  readonly facts: NewFactRow[];
  readonly factsAgain: FactRow[];
}

interface Facts {
  /** Adds the row of a draft, if it is new or has changed. */
  compare(draft: Draft, written: WrittenFacts): void;
  /** The rows whose links have changed, and those of restored records, whose links nobody has read. */
  relinked(): readonly RelinkedRow[];
}

export function openFacts(
  drafts: readonly Draft[],
  changedLinks: readonly NewLink[],
  types: ReadonlyMap<number, ObjectType>,
): Facts {
  const created = new Set(drafts.filter(({ stored }) => stored === undefined).map(({ id }) => id));
  const ends = new Map<string, Partial<Record<LinkColumn, string>>>();
  const relinked = new Map<
    string,
    { typeId: number; id: string; associationTypes: Partial<Record<LinkColumn, number>> }
  >();
  const relink = (typeId: number, id: string, column: LinkColumn, associationTypeId: number) => {
    const row = relinked.get(id) ?? { typeId, id, associationTypes: {} };
    row.associationTypes[column] = associationTypeId;
    relinked.set(id, row);
  };
  for (const { sourceId, sourceTypeId, associationTypeId, targetId } of changedLinks) {
    const column = types.get(sourceTypeId)?.slots.links.get(associationTypeId);
    if (column === undefined) continue;
    if (created.has(sourceId)) ends.set(sourceId, { ...ends.get(sourceId), [column]: targetId });
    else relink(sourceTypeId, sourceId, column, associationTypeId);
  }
  return {
    compare: (draft, { facts, factsAgain }) => {
      const { id, stored, place, orgVisible } = draft;
      if (place !== 'live') return;
      const { slots } = types.get(draft.type.id) ?? draft.type;
      const values = factValues(slots, draft.properties);
      const row = { typeId: draft.type.id, id, orgVisible, columns: slots.columns, values };
      if (stored?.place !== 'live') facts.push({ ...row, links: ends.get(id) ?? {} });
      else if (
        stored.record.orgVisible !== orgVisible ||
        isOther(factValues(slots, stored.record.properties), values)
      ) {
        factsAgain.push(row);
      }
      if (stored?.place === 'trash') {
        for (const [associationTypeId, column] of slots.links) relink(draft.type.id, id, column, associationTypeId);
      }
    },
    relinked: () => [...relinked.values()],
  };
}

function isOther(before: FactValues, after: FactValues): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}
