// Collects the errors of a query. Errors that several parts of a query can have are worded here, each with what was
// expected instead.
import { describe, shorten } from '../../client/import/described.ts';
import { isObject, type JsonSchema } from '../base/json.ts';
import { bounds } from '../base/limits.ts';
import { nearest } from '../base/nearest.ts';
import type { Fault } from '../base/problem.ts';
import { unknownMember } from '../base/shape-faults.ts';
import { nameCharactersMax, type ObjectType } from '../schema/object-type.ts';

export type Members = Readonly<Record<string, unknown>>;

/**
 * The objects of a list, each with its index. The shape of the body reports everything that is not a list of objects.
 */
export function objectsIn(list: unknown, most: number): readonly (readonly [number, Members])[] {
  if (!Array.isArray(list)) return [];
  // That a list is too long is reported elsewhere; its rest is not read.
  return list.slice(0, most).flatMap((each, index) => (isObject(each) ? [[index, each] as const] : []));
}

/** Collects errors, up to the number that is reported. */
export class FaultList {
  readonly list: Fault[] = [];

  add(fault: Fault): void {
    if (this.isFull) return;
    // A filter is read once for each type at the other end of a link, and makes the same error each time.
    const isKnown = this.list.some(({ pointer, reason }) => pointer === fault.pointer && reason === fault.reason);
    if (isKnown) return;
    // Only the first errors say what was expected: a list of a thousand values would repeat it a thousand times.
    const { expected: _, allowed: __, ...short } = fault;
    this.list.push(this.list.length < bounds.query.suggestionsPerQuery ? fault : short);
  }

  /** More errors are not reported, so nobody needs to search for them. */
  get isFull(): boolean {
    return this.list.length >= bounds.base.faultsReported;
  }

  invalidMember(pointer: string, detail: string): void {
    this.add({ pointer, reason: 'invalid_member', detail });
  }

  /** The members of an object that are not among the known ones. */
  unknownMembers(pointer: string, node: Members, known: readonly string[]): void {
    for (const name of Object.keys(node)) {
      if (this.isFull) return;
      if (known.includes(name)) continue;
      this.add(unknownMember(pointer, name, this.list.length < bounds.query.suggestionsPerQuery ? known : []));
    }
  }

  /** A property that none of the types has. The nearest known name is suggested. */
  unknownProperty(pointer: string, types: readonly ObjectType[], name: unknown): void {
    const asked = typeof name === 'string' ? shorten(name, nameCharactersMax) : describe(name);
    const near =
      typeof name === 'string' && this.#isSuggestedFor(name)
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

  /** A word that is not in a closed list. */
  notAmong(pointer: string, reason: Fault['reason'], words: readonly string[], got: unknown): void {
    const near = typeof got === 'string' && this.#isSuggestedFor(got) ? nearest(got, words) : undefined;
    this.add({
      pointer,
      reason,
      detail: `Expected ${words.length > 20 ? 'a known name' : `one of ${words.join(', ')}`}; got ${describe(got)}.`,
      ...(words.length > 100 ? {} : { allowed: words }),
      ...(near === undefined ? {} : { nearest: near }),
    });
  }

  /** An operator or function that is not supported here, or a value that is not a word at all. */
  unknownOperator(pointer: string, offered: readonly string[], got: unknown): void {
    this.notAmong(pointer, typeof got === 'string' ? 'operator_not_supported' : 'invalid_member', offered, got);
  }

  #isSuggestedFor(name: string): boolean {
    return name.length <= nameCharactersMax && this.list.length < bounds.query.suggestionsPerQuery;
  }

  invalidValue(pointer: string, property: string, detail: string, expected: JsonSchema): void {
    this.add({ pointer, property, reason: 'invalid_value', detail, expected });
  }
}
