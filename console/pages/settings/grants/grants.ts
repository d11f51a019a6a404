// Grants as the table shows them: for each type, and for the words that stand for many, what is given. Reading the texts of a key
// and writing them again gives the same rights, by the rules of the service: what several grants give adds up, and a property is
// hidden or locked only if all of them hide or lock it.
import type { ObjectType } from '../../../../client/main.ts';

export const operations = ['read', 'create', 'update', 'delete', 'associate'] as const;
export type Operation = (typeof operations)[number];

/** What is given of a type. Hidden properties are not among the locked ones. */
export interface Given {
  readonly operations: ReadonlySet<Operation>;
  readonly hidden: ReadonlySet<string>;
  readonly locked: ReadonlySet<string>;
}

/** By the names of types, `*` for all but platform types, and `platform` for those. */
export type Grants = ReadonlyMap<string, Given>;

export const everyType = '*';
export const everyPlatformType = 'platform';

/** The word that covers a type. */
export function wordOf({ category }: Pick<ObjectType, 'category'>): string {
  return category === 'platform' ? everyPlatformType : everyType;
}

const order = ['core', 'custom', 'activity', 'synced', 'generated', 'pipeline', 'platform'];

/** Types in the order of the table: what people work with first. */
export function inOrder(types: readonly ObjectType[]): readonly ObjectType[] {
  return types.toSorted((one, other) => order.indexOf(one.category) - order.indexOf(other.category));
}

export const nothing: Given = { operations: new Set(), hidden: new Set(), locked: new Set() };

/** Texts that have not the form of a grant are left out: the service stores none. */
export function readGrants(grants: readonly string[]): Grants {
  const read = new Map<string, Given>();
  for (const text of grants) {
    const [head = '', ...rest] = text.split(';');
    const [types = '', given = ''] = head.split(':');
    const named = (word: string) =>
      new Set(
        rest
          .find((part) => part.startsWith(`${word}=`))
          ?.slice(word.length + 1)
          .split(','),
      );
    const known = given.split(',').filter((each): each is Operation => operations.some((name) => name === each));
    const [hidden, locked] = [named('hide'), named('lock')];
    const one = { operations: new Set(known), hidden, locked: without(locked, hidden) };
    for (const type of types.split(',')) read.set(type, united(read.get(type), one));
  }
  return read;
}

/** What two grants of a type give together. */
export function united(one: Given | undefined, other: Given): Given {
  if (one === undefined || one.operations.size === 0) return other;
  if (other.operations.size === 0) return one;
  const hidden = new Set([...one.hidden].filter((name) => other.hidden.has(name)));
  const isKept = ({ hidden: unseen, locked }: Given, name: string) => unseen.has(name) || locked.has(name);
  const locked = [...one.hidden, ...one.locked].filter((name) => isKept(other, name) && !hidden.has(name));
  return { operations: new Set([...one.operations, ...other.operations]), hidden, locked: new Set(locked) };
}

/** What is given of a type in all: by its name and by the word that covers it. */
export function givenOf(grants: Grants, type: Pick<ObjectType, 'name' | 'category'>): Given {
  return united(grants.get(type.name), grants.get(wordOf(type)) ?? nothing);
}

/** The texts of a key. Types of which the same is given, with no property hidden or locked, share one. */
export function writeGrants(grants: Grants): readonly string[] {
  const shared = new Map<string, string[]>();
  const own: string[] = [];
  for (const [type, { operations: given, hidden, locked }] of grants) {
    if (given.size === 0) continue;
    // Every other operation includes reading.
    const named = operations.filter((each) => given.has(each) && (each !== 'read' || given.size === 1)).join();
    const narrowed = [
      ...(hidden.size === 0 ? [] : [`;hide=${[...hidden].join()}`]),
      ...(locked.size === 0 ? [] : [`;lock=${[...locked].join()}`]),
    ].join('');
    if (narrowed !== '') own.push(`${type}:${named}${narrowed}`);
    else shared.set(named, [...(shared.get(named) ?? []), type]);
  }
  const together = [...shared].flatMap(([named, types]) => inLines(types).map((line) => `${line}:${named}`));
  return [...together, ...own];
}

/** A text has an end: long lists of types become several. */
const lineMost = 900;

function inLines(types: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const type of types) {
    const last = lines.at(-1);
    if (last === undefined || last.length + type.length >= lineMost) lines.push(type);
    else lines[lines.length - 1] = `${last},${type}`;
  }
  return lines;
}

export function withOperation(given: Given, operation: Operation, isGiven: boolean): Given {
  const changed = new Set(given.operations);
  if (isGiven) changed.add(operation);
  else changed.delete(operation);
  if (isGiven) changed.add('read');
  // Without reading there is nothing.
  else if (operation === 'read') changed.clear();
  return { ...given, operations: changed };
}

export type PropertyState = 'show' | 'lock' | 'hide';

export function stateOf({ hidden, locked }: Given, property: string): PropertyState {
  return hidden.has(property) ? 'hide' : locked.has(property) ? 'lock' : 'show';
}

export function withState(given: Given, properties: readonly string[], state: PropertyState): Given {
  const [hidden, locked] = [without(given.hidden, properties), without(given.locked, properties)];
  for (const name of properties) {
    if (state === 'hide') hidden.add(name);
    if (state === 'lock') locked.add(name);
  }
  return { ...given, hidden, locked };
}

function without(all: ReadonlySet<string>, names: Iterable<string>): Set<string> {
  const left = new Set(all);
  for (const name of names) left.delete(name);
  return left;
}
