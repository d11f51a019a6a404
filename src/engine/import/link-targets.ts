// Finds the records to which the rows of a batch are linked, by what the cells say of them: a few statements for the whole
// batch. Records that earlier rows of the batch have made are found as well.

import { describe, shorten } from '../../../client/import/described.ts';
import { isId } from '../../base/id.ts';
import { type Fault, problemOf } from '../../base/problem.ts';
import { checkValues } from '../../schema/check-values.ts';
import type { ValueFault } from '../../schema/field-type.ts';
import type { UniqueKey } from '../../schema/indexing/record-keys.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Titled } from '../../store/import/titled.ts';
import { includesKey } from '../rules/unique-values.ts';
import { createRecord } from '../rules/write.ts';
import type { Draft } from '../unit/draft.ts';
import type { PlacedLink, ResolvedLink } from '../unit/link-effect.ts';
import type { Unit } from '../unit/unit.ts';
import type { LinkColumn, LinkEnd } from './link-columns.ts';
import {
  externalName,
  externalNamesOf,
  fold,
  indexedTitles,
  keysOf,
  type NamedTargets,
  titleKey,
  uniqueValuesOf,
  valuesOfNew,
} from './target-names.ts';

/** A link as a request would name it, and as it is found. */
type FoundLink = PlacedLink & ResolvedLink;

export interface FoundTargets {
  readonly links: readonly FoundLink[];
  /** The texts that name no record, of columns where such a record is created. */
  readonly toCreate: readonly TargetToCreate[];
  /** How many links are left out. */
  readonly skipped: number;
}

interface TargetToCreate {
  readonly column: LinkColumn;
  readonly text: string;
}

export class LinkTargets {
  readonly #unit: Unit;
  readonly #columns: readonly LinkColumn[];
  /** The ids of records by type, pipeline and title. */
  readonly #titled = new Map<string, Set<string>>();
  /** Where a record is among those that are not told apart by their pipeline. */
  readonly #titleOf = new Map<string, string>();

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
    const toCreate: TargetToCreate[] = [];
    const faults: Fault[] = [];
    let skipped = 0;
    for (const [place, column] of this.#columns.entries()) {
      const texts = row[place] ?? [];
      if (column.use.guessed === true) {
        const sure = await this.#sureLinks(column, texts);
        links.push(...sure);
        skipped += texts.length - sure.length;
        continue;
      }
      if (column.takesOne && texts.length > 1) faults.push(takesOne(column, texts));
      for (const text of texts) {
        const found = await this.targetsOf(column, text);
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

  /** The links that a guessed column makes: to what exactly one record is named. Others are left out, and refuse no row. */
  async #sureLinks(column: LinkColumn, texts: readonly string[]): Promise<readonly FoundLink[]> {
    if (column.takesOne && texts.length > 1) return [];
    const links: FoundLink[] = [];
    for (const text of texts) {
      const found = await this.targetsOf(column, text);
      const [target, other] = 'reason' in found ? [] : found;
      if (target !== undefined && other === undefined) links.push(linkTo(column, target));
    }
    return links;
  }

  /** Creates the record that a cell names, with that one value. */
  async create({ column, text }: TargetToCreate): Promise<{ readonly link: FoundLink; readonly isNew: boolean }> {
    // Another cell of the same row, or an earlier row, may have created it.
    const known = await this.targetsOf(column, text);
    if (!('reason' in known) && known[0] !== undefined) return { link: linkTo(column, known[0]), isNew: false };
    const [end] = column.ends;
    const property = end?.property;
    if (end === undefined || property === undefined) throw new TypeError(`${column.header} creates nothing.`);
    const { changes } = checkValues(end.type, valuesOfNew(property, text), '');
    const draft = await createRecord(this.#unit, end.type, changes, [], '');
    this.note(draft);
    return { link: linkTo(column, { end, id: draft.id }), isNew: true };
  }

  /** Refuses a row that names itself before it exists: what would be created for it would have its unique value. */
  refuseClaiming(type: ObjectType, keys: readonly UniqueKey[], toCreate: FoundTargets['toCreate']): void {
    const faults = toCreate.flatMap(({ column, text }) => {
      const end = column.ends.find((each) => each.type.id === type.id);
      const claimed = end === undefined ? [] : keysOf(end, text);
      if ('reason' in claimed || !claimed.some((key) => includesKey(keys, key))) return [];
      return [missing(column, text)];
    });
    if (faults.length > 0) throw problemOf('validation_failed', faults);
  }

  /** A record of the batch, as it is now, that later rows may name. */
  note({ id, type, properties }: Draft): void {
    for (const { use, ends } of this.#columns) {
      const end =
        use.by === 'title' && use.within === undefined ? ends.find((each) => each.type.id === type.id) : undefined;
      if (end?.property === undefined) continue;
      const title = properties[end.property.key];
      const former = this.#titleOf.get(id);
      if (former !== undefined) this.#titled.get(former)?.delete(id);
      if (typeof title === 'string') this.#addTitled(end, undefined, { id, title });
    }
  }

  #addTitled(end: LinkEnd, within: string | undefined, { id, title }: Titled): void {
    const key = titleKey(end, within, title);
    const known = this.#titled.get(key);
    if (known === undefined) this.#titled.set(key, new Set([id]));
    else known.add(id);
    if (within === undefined) this.#titleOf.set(id, key);
  }

  /** The records that a cell may mean, or why it cannot mean any. */
  async targetsOf(column: LinkColumn, text: string): Promise<readonly Target[] | ValueFault> {
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
    const folded = new Set(texts.map(fold));
    const titles = [...folded].filter((title) => !this.#titled.has(titleKey(end, within, title)));
    if (property === undefined || titles.length === 0) return;
    const { orgId } = this.#unit.call.session.caller;
    const keys = indexedTitles(property, titles);
    const wanted = {
      typeId: type.id,
      key: property.key,
      titles,
      ...(keys === undefined ? {} : { index: { propertyId: property.id, keys } }),
      ...(within === undefined || pipeline === undefined ? {} : { within: { ...pipeline, title: fold(within) } }),
    };
    for (const titled of await this.#unit.reads.findTitled(this.#unit.transaction, orgId, wanted)) {
      this.#addTitled(end, within, titled);
    }
  }
}

/** Two cells of a row may name the same target. */
export function eachOnce(links: readonly ResolvedLink[]): readonly ResolvedLink[] {
  if (links.length < 2) return links;
  return [...new Map(links.map((link) => [`${link.pair.id}/${link.targetId}`, link])).values()];
}

/** A record that a cell means. */
export interface Target {
  readonly end: LinkEnd;
  readonly id: string;
}

function linkTo({ use: { association }, header }: LinkColumn, { end: { pair }, id }: Target): FoundLink {
  const place = `/associations/${header}`;
  const pointers = { link: place, associationType: place, target: place };
  return { associationType: association, target: id, targetId: id, pointers, pair };
}

export function pointerOf({ header }: LinkColumn): string {
  return `/properties/${header}`;
}

export function missing(column: LinkColumn, text: string): Fault {
  const { association, by, within } = column.use;
  const place = within === undefined ? '' : ` in ${within}`;
  const detail = `There is no record with the ${by} ${described(text)}${place} that ${association} could lead to.`;
  return { pointer: pointerOf(column), reason: 'target_unknown', detail };
}

export function ambiguous(column: LinkColumn, text: string, targets: readonly Target[]): Fault {
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

export function takesOne(column: LinkColumn, texts: readonly string[]): Fault {
  const detail = `${column.use.association} takes one target; got ${describe([...texts])}.`;
  return { pointer: pointerOf(column), reason: 'invalid_member', detail };
}

function described(text: string): string {
  return JSON.stringify(shorten(text, 64));
}
