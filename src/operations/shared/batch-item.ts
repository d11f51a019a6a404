// One item of a batch: as it is parsed, before the transaction, and what it answers.
import type { Static, TSchema } from 'typebox';
import { problemOf } from '../../base/problem.ts';
import { shape } from '../../base/shape.ts';
import type { Session } from '../../engine/process/session.ts';
import type { Lookups } from '../../engine/rules/preload.ts';
import type { Unit } from '../../engine/unit/unit.ts';
import type { KeyCall } from '../operation.ts';
import type { UndoneRecords } from '../shapes/batch.ts';

export interface ItemResult {
  readonly status: 200 | 201;
  readonly id?: string;
  readonly version?: string;
  /** The key whose secret it has made. */
  readonly key?: string | undefined;
  /** What became of the records of a request that it took back. */
  readonly undone?: UndoneRecords;
  /** What an erasure leaves; known at the end of the unit. */
  readonly note?: () => string;
}

export interface ParsedItem {
  readonly ref: string | undefined;
  /** Whether it only creates a record. */
  readonly isCreate: boolean;
  /** The records that it concerns: they count as operations. */
  readonly records: number;
  readonly lookups: readonly Lookups[];
  run(unit: Unit, refs: Refs): Promise<ItemResult>;
}

/** An item whose records are known only once the database is asked for them. `room` is how many it may concern. */
export interface UnpreparedItem {
  readonly ref: undefined;
  prepare(call: KeyCall, room: number): Promise<ParsedItem>;
}

/** The ids of the records that items have named, by name. */
export type Refs = Map<string, string>;

/** Parses an item at a place of the request. Throws one Problem for everything that is wrong with it, up to `most` faults. */
export type ParseItem<Item> = (session: Session, item: Record<string, unknown>, at: string, most: number) => Item;

/** Parses an item that must have the shape. */
export function withShape<S extends TSchema, Item>(
  schema: S,
  parse: (session: Session, item: Static<S>, at: string, most: number) => Item,
): ParseItem<Item> {
  const checked = shape(schema);
  return (session, item, at, most) => {
    const faults = checked.check(item, most);
    if (faults.length > 0) {
      const placed = faults.map((fault) => ({ ...fault, pointer: at + (fault.pointer ?? '') }));
      throw problemOf('invalid_request', placed, most);
    }
    return parse(session, item as Static<S>, at, most);
  };
}
