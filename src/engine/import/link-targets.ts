// Finds the records to which the rows of a batch are linked, by what the cells say of them: a few statements for the whole
// batch. Records that earlier rows of the batch have made are found as well.
import { isId } from '../../base/id.ts';
import { describe, type Json, shorten } from '../../base/json.ts';
import { type Fault, problemOf } from '../../base/problem.ts';
import { checkValues } from '../../schema/check-values.ts';
import { fromCell } from '../../schema/csv-cell.ts';
import type { ValueFault } from '../../schema/field-type.ts';
import { type UniqueKey, uniqueKeys } from '../../schema/indexing/record-keys.ts';
import type { Property } from '../../schema/object-type.ts';
import { findTitled } from '../../store/import/titled.ts';
import type { ExternalName } from '../../store/records/external-ids.ts';
import type { UniqueValue } from '../../store/records/unique-values.ts';
import { createRecord } from '../rules/write.ts';
import type { Draft } from '../unit/draft.ts';
import type { PlacedLink, ResolvedLink } from '../unit/link-effect.ts';
import type { Unit } from '../unit/unit.ts';
import type { LinkColumn, LinkEnd } from './link-columns.ts';

/** What the cells of a row name: of each link column, the texts of its cell. */
export type NamedTargets = readonly (readonly string[])[];

/** A link as a request would name it, and as it is found. */
type FoundLink = PlacedLink & ResolvedLink;

export interface FoundTargets {
  readonly links: readonly FoundLink[];
  /** The texts that name no record, of columns where such a record is created. */
  readonly toCreate: readonly { readonly column: LinkColumn; readonly text: string }[];
  /** How many links are left out. */
  readonly skipped: number;
}

export class LinkTargets {
  readonly #unit: Unit;
  readonly #columns: readonly LinkColumn[];
  /** The ids of records by type, pipeline and title. */
  readonly #titled = new Map<string, string[]>();

  constructor(unit: Unit, columns: readonly LinkColumn[]) {
    this.#unit = unit;
    this.#columns = columns;
  }

  /** Reads what the rows of a batch name. */
  async load(rows: readonly NamedTargets[]): Promise<void> {
    await this.#unit.holders.load(uniqueValuesOf(this.#columns, rows));
    await this.#unit.externalIds.load(externalNamesOf(this.#columns, rows));
    for (const [place, column] of this.#columns.entries()) {
      const texts = [...new Set(rows.flatMap((row) => row[place] ?? []))];
      const { use, ends } = column;
      if (use.by === 'title') for (const end of ends) await this.#loadTitled(column, end, texts);
      if (use.by === 'id') {
        const typeIds = ends.map(({ type }) => type.id);
        await this.#unit.records.loadLive(typeIds, texts.filter(isId));
      }
    }
  }

  /** The links of a row, as far as their targets exist; throws a problem with all that is missing otherwise. */
  async find(row: NamedTargets): Promise<FoundTargets> {
    const links: FoundLink[] = [];
    const toCreate: { column: LinkColumn; text: string }[] = [];
    const faults: Fault[] = [];
    let skipped = 0;
    for (const [place, column] of this.#columns.entries()) {
      const texts = row[place] ?? [];
      if (column.takesOne && texts.length > 1) faults.push(takesOne(column, texts));
      for (const text of texts) {
        const found = await this.#targetsOf(column, text);
        if ('reason' in found) {
          faults.push({ pointer: pointerOf(column), reason: found.reason, detail: found.detail });
          continue;
        }
        const [target, other] = found;
        if (other !== undefined) faults.push(ambiguous(column, text, found));
        else if (target !== undefined) links.push(linkTo(column, target));
        else if (column.use.missing === 'skip') skipped++;
        else if (column.use.missing === 'create') {
          toCreate.push({ column, text });
          faults.push(...faultsOfNew(column, text));
        } else faults.push(missing(column, text));
      }
    }
    faults.push(...rivals(links, toCreate));
    if (faults.length > 0) throw problemOf('validation_failed', faults);
    return { links, toCreate, skipped };
  }

  /** Creates the record that a cell names, with that one value. */
  async create({ column, text }: FoundTargets['toCreate'][number]): Promise<FoundLink> {
    // Another cell of the same row, or an earlier row, may have created it.
    const known = await this.#targetsOf(column, text);
    if (!('reason' in known) && known[0] !== undefined) return linkTo(column, known[0]);
    const [end] = column.ends;
    const property = end?.property;
    if (end === undefined || property === undefined) throw new TypeError(`${column.header} creates nothing.`);
    const { changes } = checkValues(end.type, valuesOfNew(property, text), '');
    const draft = await createRecord(this.#unit, end.type, changes, [], '');
    this.note(draft);
    return linkTo(column, { end, id: draft.id });
  }

  /** A record of the batch that later rows may name. */
  note({ id, type, properties }: Draft): void {
    for (const { use, ends } of this.#columns) {
      const end =
        use.by === 'title' && use.within === undefined ? ends.find((each) => each.type.id === type.id) : undefined;
      const title = end?.property === undefined ? undefined : properties[end.property.key];
      if (end === undefined || typeof title !== 'string') continue;
      const key = titleKey(end, undefined, title);
      this.#titled.set(key, [...(this.#titled.get(key) ?? []), id]);
    }
  }

  /** The records that a cell may mean, or why it cannot mean any. */
  async #targetsOf(column: LinkColumn, text: string): Promise<readonly Target[] | ValueFault> {
    const found = new Map<string, Target>();
    const add = (end: LinkEnd, id: string) => found.set(id, { end, id });
    for (const end of column.ends) {
      if (column.use.by === 'id') {
        if (isId(text) && (await this.#exists(end, text))) add(end, text);
      } else if (column.use.by === 'external_id') {
        const holder = this.#unit.externalIds.liveRecordOf(externalName(column, end, text));
        if (holder !== undefined) add(end, holder);
      } else if (column.use.by === 'title') {
        for (const id of this.#titled.get(titleKey(end, column.use.within, text)) ?? []) add(end, id);
      } else {
        const keys = keysOf(end, text);
        if ('reason' in keys) return keys;
        for (const key of keys) {
          const holder = await this.#unit.holders.of(end.type, key);
          if (holder !== undefined) add(end, holder);
        }
      }
    }
    return [...found.values()];
  }

  async #exists({ type }: LinkEnd, id: string): Promise<boolean> {
    return (await this.#unit.records.typeOfLive([type.id], id)) !== undefined;
  }

  async #loadTitled({ use: { within } }: LinkColumn, end: LinkEnd, texts: readonly string[]): Promise<void> {
    const { type, property, pipeline } = end;
    const titles = texts.map(fold).filter((title) => !this.#titled.has(titleKey(end, within, title)));
    if (property === undefined || titles.length === 0) return;
    const request = { typeId: type.id, key: property.key, titles };
    const limited =
      within === undefined || pipeline === undefined ? {} : { within: { ...pipeline, title: fold(within) } };
    const { orgId } = this.#unit.call.session.caller;
    for (const { id, title } of await findTitled(this.#unit.transaction, orgId, { ...request, ...limited })) {
      const key = titleKey(end, within, title);
      this.#titled.set(key, [...(this.#titled.get(key) ?? []), id]);
    }
  }
}

/** Two cells of a row may name the same target. */
export function eachOnce(links: readonly ResolvedLink[]): readonly ResolvedLink[] {
  if (links.length < 2) return links;
  return [...new Map(links.map((link) => [`${link.pair.id}/${link.targetId}`, link])).values()];
}

/** The unique values by which rows name targets. */
export function uniqueValuesOf(columns: readonly LinkColumn[], rows: readonly NamedTargets[]): readonly UniqueValue[] {
  return columns.flatMap(({ use, ends }, place) => {
    if (use.by === 'id' || use.by === 'external_id' || use.by === 'title') return [];
    const texts = [...new Set(rows.flatMap((row) => row[place] ?? []))];
    return ends.flatMap((end) =>
      texts.flatMap((text) => {
        const keys = keysOf(end, text);
        return 'reason' in keys ? [] : keys.map((key) => ({ ...key, typeId: end.type.id }));
      }),
    );
  });
}

/** The external ids by which rows name targets. */
function externalNamesOf(columns: readonly LinkColumn[], rows: readonly NamedTargets[]): readonly ExternalName[] {
  return columns.flatMap((column, place) => {
    if (column.use.by !== 'external_id') return [];
    const texts = [...new Set(rows.flatMap((row) => row[place] ?? []))];
    return column.ends.flatMap((end) => texts.map((text) => externalName(column, end, text)));
  });
}

function externalName({ use: { source = '' } }: LinkColumn, { type }: LinkEnd, externalId: string): ExternalName {
  return { typeId: type.id, source, externalId };
}

/** The keys of a unique value, or why the text is none. */
function keysOf(end: LinkEnd, text: string): readonly UniqueKey[] | ValueFault {
  const { type, property } = end;
  if (property === undefined) return [];
  const value = targetValue(property, text);
  const fault = property.fieldType.check(value, property.options);
  return fault ?? uniqueKeys(type, { [property.key]: property.multiValued ? [value] : value });
}

/** The value that a cell says, in the form in which records have it. */
function targetValue(property: Property, text: string): Json {
  const reading = fromCell({ ...property, multiValued: false }, text, undefined);
  return 'fault' in reading ? text : reading.value;
}

function titleKey({ type }: LinkEnd, within: string | undefined, title: string): string {
  return JSON.stringify([type.id, within === undefined ? null : fold(within), fold(title)]);
}

function fold(text: string): string {
  return text.toLowerCase();
}

/** A record that a cell means. */
interface Target {
  readonly end: LinkEnd;
  readonly id: string;
}

function linkTo({ use: { association }, header }: LinkColumn, { end: { pair }, id }: Target): FoundLink {
  const place = `/associations/${header}`;
  const pointers = { link: place, associationType: place, target: place };
  return { associationType: association, target: id, targetId: id, pointers, pair };
}

function pointerOf({ header }: LinkColumn): string {
  return `/properties/${header}`;
}

function missing(column: LinkColumn, text: string): Fault {
  const { association, by, within } = column.use;
  const place = within === undefined ? '' : ` in ${within}`;
  const detail = `There is no record with the ${by} ${described(text)}${place} that ${association} could lead to.`;
  return { pointer: pointerOf(column), reason: 'target_unknown', detail };
}

function ambiguous(column: LinkColumn, text: string, targets: readonly Target[]): Fault {
  const ids = targets.slice(0, 2).map(({ id }) => id);
  const detail = `${column.use.by} ${described(text)} could mean ${ids.join(' or ')}.`;
  return { pointer: pointerOf(column), reason: 'multiple_matches', detail };
}

/** Why the record that a cell names cannot be created from it. */
function faultsOfNew(column: LinkColumn, text: string): readonly Fault[] {
  const [end] = column.ends;
  if (end?.property === undefined) return [];
  const { faults } = checkValues(end.type, valuesOfNew(end.property, text), '');
  return faults.map((fault) => ({ ...fault, pointer: pointerOf(column) }));
}

function valuesOfNew(property: Property, text: string): Readonly<Record<string, Json>> {
  const value = targetValue(property, text);
  return { [property.name]: property.multiValued ? [value] : value };
}

/** Columns that lead to different targets by an association type that takes one. */
function rivals(links: readonly FoundLink[], toCreate: FoundTargets['toCreate']): readonly Fault[] {
  const named = [
    ...links.map(({ pair, targetId }) => ({ pair, target: targetId })),
    ...toCreate.flatMap(({ column, text }) => column.ends.map(({ pair }) => ({ pair, target: `new ${fold(text)}` }))),
  ];
  const first = new Map<number, string>();
  return named.flatMap(({ pair: { id, name, cardinality }, target }) => {
    const other = first.get(id);
    first.set(id, other ?? target);
    if (cardinality !== 'many_to_one' || other === undefined || other === target) return [];
    const detail = `${name} takes one target, and two are given.`;
    return [{ pointer: `/properties/${name}`, reason: 'invalid_member' as const, detail }];
  });
}

function takesOne(column: LinkColumn, texts: readonly string[]): Fault {
  const detail = `${column.use.association} takes one target; got ${describe([...texts])}.`;
  return { pointer: pointerOf(column), reason: 'invalid_member', detail };
}

function described(text: string): string {
  return JSON.stringify(shorten(text, 64));
}
