// The faults of what is asked that more than one part of a question can have, each with what was expected instead.
import { describe, isObject, type JsonSchema, shorten } from '../base/json.ts';
import { bounds } from '../base/limits.ts';
import { nearest } from '../base/nearest.ts';
import type { Fault } from '../base/problem.ts';
import type { ObjectType } from '../schema/object-type.ts';

export type Members = Readonly<Record<string, unknown>>;

/** The objects of a list, each with its place. What is no object, or no list, is told by the shape of the body. */
export function objectsIn(list: unknown, most: number): readonly (readonly [number, Members])[] {
  if (!Array.isArray(list)) return [];
  // Of a list that is too long nothing more needs to be told.
  return list.slice(0, most).flatMap((each, index) => (isObject(each) ? [[index, each] as const] : []));
}

/** Gathers faults, as many as are told. */
export class FaultList {
  readonly list: Fault[] = [];

  add(fault: Fault): void {
    // One filter is read for each type that the other end of a link can have, and is wrong for all of them alike.
    const told = this.list.some(({ pointer, reason }) => pointer === fault.pointer && reason === fault.reason);
    if (told || this.isFull) return;
    // What was expected is told with the first ones: a list of a thousand values would repeat it a thousand times.
    const { expected: _, allowed: __, ...short } = fault;
    this.list.push(this.list.length < bounds.query.suggestionsPerQuery ? fault : short);
  }

  /** More are not told, so that nobody needs to look for them. */
  get isFull(): boolean {
    return this.list.length >= bounds.base.faultsReported;
  }

  invalidMember(pointer: string, detail: string): void {
    this.add({ pointer, reason: 'invalid_member', detail });
  }

  /** A name that is no member of any of the types; a near one is offered. */
  unknownProperty(pointer: string, types: readonly ObjectType[], name: unknown): void {
    const asked = typeof name === 'string' ? shorten(name, 64) : describe(name);
    const near =
      typeof name === 'string' && name.length <= 64 && this.list.length < bounds.query.suggestionsPerQuery
        ? types.map((type) => type.nearestProperty(name)).find((each) => each !== undefined)
        : undefined;
    const whose = types.map((type) => type.name).slice(0, 5);
    this.add({
      pointer,
      ...(typeof name === 'string' ? { property: asked } : {}),
      reason: 'unknown_property',
      detail: `${whose.join(', ')} ${whose.length > 1 ? 'have' : 'has'} no property ${typeof name === 'string' ? JSON.stringify(asked) : asked} that this key can see.`,
      ...(near === undefined ? {} : { nearest: near }),
    });
  }

  /** One of a closed list of words was expected. */
  notAmong(pointer: string, reason: Fault['reason'], words: readonly string[], got: unknown): void {
    const looked = typeof got === 'string' && got.length <= 64 && this.list.length < bounds.query.suggestionsPerQuery;
    const near = looked ? nearest(got, words) : undefined;
    this.add({
      pointer,
      reason,
      detail: `Expected ${words.length > 20 ? 'a known name' : `one of ${words.join(', ')}`}; got ${describe(got)}.`,
      ...(words.length > 100 ? {} : { allowed: words }),
      ...(near === undefined ? {} : { nearest: near }),
    });
  }

  /** An operator or function that is not offered here; what is no word at all is a fault of the member. */
  unknownOperator(pointer: string, offered: readonly string[], got: unknown): void {
    this.notAmong(pointer, typeof got === 'string' ? 'operator_not_supported' : 'invalid_member', offered, got);
  }

  invalidValue(pointer: string, property: string, detail: string, expected: JsonSchema): void {
    this.add({ pointer, property, reason: 'invalid_value', detail, expected });
  }
}
