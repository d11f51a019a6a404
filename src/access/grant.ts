// Grants: which object types a credential may use, for which operations, and which of their properties it does not see or
// may not write. Everything else is denied. Every operation implies `read`.
import { nearest } from '../base/nearest.ts';
import type { Catalog } from '../schema/catalog.ts';
import { type ObjectType, type WriteOperation, writeOperations } from '../schema/object-type.ts';

export const grantOperations = ['read', ...writeOperations] as const;
export type GrantOperation = (typeof grantOperations)[number];

/** Means every type except platform types, including custom types that are added later. */
const everyType = '*';
/** Means every platform type, including those of later releases. */
const everyPlatformType = 'platform';

export interface Grant {
  readonly objectTypes: readonly string[];
  readonly operations: readonly GrantOperation[];
  /** Properties that do not exist for the credential, and those that it only reads; of each type that has them. */
  readonly hiddenProperties?: readonly string[];
  readonly lockedProperties?: readonly string[];
}

export const fullGrant: Grant = { objectTypes: [everyType], operations: grantOperations };
export const adminGrant: Grant = { objectTypes: [everyPlatformType], operations: grantOperations };

/** The form of a grant as text. */
export const grantForm = 'TYPE[,TYPE…]:OP[,OP…][;hide=PROPERTY[,…]][;lock=PROPERTY[,…]]';

/** A grant that a text does not have, and why. */
interface NoGrant {
  readonly wrong: string;
}

/** Reads a grant of the form above. */
export function parseGrant(text: string): Grant | NoGrant {
  const [head = '', ...more] = text.split(';');
  const [types, operations, ...rest] = head.split(':');
  if (types === undefined || operations === undefined || rest.length > 0) return badForm(text);
  const parts = more.map((part) => /^(hide|lock)=(.*)$/.exec(part));
  const hidden = parts.find((part) => part?.[1] === 'hide')?.[2]?.split(',') ?? [];
  const locked = parts.find((part) => part?.[1] === 'lock')?.[2]?.split(',') ?? [];
  const isRepeated = new Set(parts.map((part) => part?.[1])).size < parts.length;
  const names = [...types.split(','), ...operations.split(','), ...hidden, ...locked];
  if (parts.includes(null) || isRepeated || names.includes('')) return badForm(text);
  const unknown = operations.split(',').find((name) => !isGrantOperation(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, grantOperations);
    const hint = near === undefined ? `Use ${grantOperations.join(', ')}.` : `Did you mean "${near}"?`;
    return { wrong: `${quoted(unknown)} is not an operation that can be granted. ${hint}` };
  }
  return {
    objectTypes: types.split(','),
    operations: operations.split(',').filter(isGrantOperation),
    ...(hidden.length === 0 ? {} : { hiddenProperties: hidden }),
    ...(locked.length === 0 ? {} : { lockedProperties: locked }),
  };
}

/** Grants that are stored, which have their form; the types that they name may be gone. */
export function readGrants(texts: readonly string[]): readonly Grant[] {
  return texts.map(parseGrant).filter((grant) => 'objectTypes' in grant);
}

function badForm(text: string): NoGrant {
  return { wrong: `Expected a grant of the form ${grantForm}; got ${quoted(text)}.` };
}

export function grantText({ objectTypes, operations, hiddenProperties = [], lockedProperties = [] }: Grant): string {
  const hide = hiddenProperties.length === 0 ? '' : `;hide=${hiddenProperties.join(',')}`;
  const lock = lockedProperties.length === 0 ? '' : `;lock=${lockedProperties.join(',')}`;
  return `${objectTypes.join(',')}:${operations.join(',')}${hide}${lock}`;
}

/** A grant as clients see it. */
export function grantJson({ objectTypes, operations, hiddenProperties, lockedProperties }: Grant) {
  return {
    object_types: objectTypes,
    operations,
    ...(hiddenProperties === undefined ? {} : { hidden_properties: hiddenProperties }),
    ...(lockedProperties === undefined ? {} : { locked_properties: lockedProperties }),
  };
}

function isGrantOperation(name: string): name is GrantOperation {
  return (grantOperations as readonly string[]).includes(name);
}

/** Something that a grant names and the org does not have, or that it cannot give. */
export interface GrantFault {
  readonly reason: 'unknown_object_type' | 'unknown_property' | 'required_missing' | 'wrong_shape';
  readonly detail: string;
  readonly nearest?: string;
}

/** The first fault of a grant in an org. Hidden types cannot be granted: they are unknown. */
export function grantFault(grant: Grant, catalog: Catalog): GrantFault | undefined {
  const unknown = grant.objectTypes.find((name) => !isWord(name) && !catalog.objectTypes.has(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, catalog.objectTypes.keys());
    const detail = `There is no object type ${quoted(unknown)} to grant.`;
    return { reason: 'unknown_object_type', detail, ...(near === undefined ? {} : { nearest: near }) };
  }
  const types = [...catalog.objectTypes.values()].filter((type) => names(grant, type));
  return propertyFault(grant, types) ?? creationFault(grant, types);
}

function propertyFault({ hiddenProperties = [], lockedProperties = [] }: Grant, types: readonly ObjectType[]) {
  const dated = hiddenProperties.find((name) => alwaysSeen.includes(name));
  if (dated !== undefined) return { reason: 'wrong_shape', detail: `${dated} cannot be hidden.` } as const;
  for (const name of [...hiddenProperties, ...lockedProperties]) {
    if (types.some(({ properties }) => properties.has(name))) continue;
    const near = nearest(name, new Set(types.flatMap(({ properties }) => [...properties.keys()])));
    const detail = `None of the types of this grant has a property ${quoted(name)}.`;
    return { reason: 'unknown_property', detail, ...(near === undefined ? {} : { nearest: near }) } as const;
  }
  return undefined;
}

/** Nobody can create a record without seeing what it must have. */
function creationFault({ operations, hiddenProperties = [] }: Grant, types: readonly ObjectType[]) {
  if (!operations.includes('create')) return undefined;
  for (const { name, properties } of types) {
    const hidden = hiddenProperties.find((property) => properties.get(property)?.required === true);
    if (hidden === undefined) continue;
    const detail = `${name} requires ${hidden}, so a grant that hides it cannot have "create".`;
    return { reason: 'required_missing', detail } as const;
  }
  return undefined;
}

/** The dates of a record, which every credential sees. */
const alwaysSeen: readonly string[] = ['svc_created_at', 'svc_updated_at'];

export function isWord(name: string): boolean {
  return name === everyType || name === everyPlatformType;
}

/** Whether the grant is about the type, by its name or by the word for all types like it. */
export function names({ objectTypes, operations }: Grant, { name, category }: NamedType): boolean {
  const word = category === 'platform' ? everyPlatformType : everyType;
  return operations.length > 0 && (objectTypes.includes(name) || objectTypes.includes(word));
}

type NamedType = Pick<ObjectType, 'name' | 'category'>;

/** What grants together permit on one type. */
export interface Permission {
  readonly operations: ReadonlySet<WriteOperation>;
  readonly hidden: ReadonlySet<string>;
  readonly locked: ReadonlySet<string>;
}

/** What the grants about one type permit on it; undefined if there are none, which makes the type invisible. */
export function permission(grants: readonly Grant[]): Permission | undefined {
  if (grants.length === 0) return undefined;
  const inAll = (listOf: (grant: Grant) => readonly string[]) => {
    const [first, ...others] = grants.map((grant) => new Set(listOf(grant)));
    return new Set([...(first ?? [])].filter((name) => others.every((other) => other.has(name))));
  };
  return {
    operations: new Set(grants.flatMap(({ operations }) => operations.filter((each) => each !== 'read'))),
    hidden: inAll(({ hiddenProperties = [] }) => hiddenProperties),
    // What a grant hides it does not let anybody write either.
    locked: inAll(({ hiddenProperties = [], lockedProperties = [] }) => [...hiddenProperties, ...lockedProperties]),
  };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
