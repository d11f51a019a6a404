// GET /objects/{object_type}/records/{id}/associations/{association_type}/: the other ends of a record's links, in pages.
import { Type } from 'typebox';
import { JsonText, shorten } from '../base/json.ts';
import { limits } from '../base/limits.ts';
import { type Fault, Problem } from '../base/problem.ts';
import type { Call } from '../engine/process/call.ts';
import { readAssociated } from '../engine/read/include.ts';
import { readRecord } from '../engine/read/records.ts';
import { directions, findHop } from '../query/hop.ts';
import type { Hop } from '../query/plan.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { listAssociatedExamples } from './examples/associations.ts';
import type { Input, KeyOperation } from './operation.ts';
import type { Parameter } from './request/parameter.ts';
import {
  AssociatedRecordShape,
  cursorParameter,
  idParameter,
  limitParameter,
  projectionOf,
  propertiesParameter,
} from './shapes/record.ts';
import { objectTypeParameter } from './shapes/shapes.ts';
import { associationTypeParameter } from './shared/association-write.ts';
import { associatedScope } from './shared/include.ts';
import { requireObjectType } from './shared/permit.ts';
import { associatedJson } from './shared/record-json.ts';

const directionParameter: Parameter = {
  description:
    'From which end the links are read: `outgoing` where the record is the source, `incoming` where it is the target. ' +
    'Needed only where both ends are of one type; without it, outgoing links are read there.',
  schema: Type.Enum([...directions]),
  check: (text) =>
    directions.some((each) => each === text)
      ? undefined
      : {
          parameter: 'direction',
          reason: 'invalid_parameter',
          detail: `Expected ${directions.join(' or ')}; got ${JSON.stringify(shorten(text))}.`,
          allowed: directions,
        },
};

export const listAssociated: KeyOperation = {
  id: 'listAssociated',
  method: 'GET',
  path: '/objects/{object_type}/records/{id}/associations/{association_type}/',
  tag: 'Associations',
  access: 'key',
  summary: 'What a record is linked to',
  description:
    'The records at the other ends of the links of one association type, by rising id, each with `associated_at`. It is ' +
    'read from either end. Of a user or an org only the title is known.',
  pathParameters: { object_type: objectTypeParameter, id: idParameter, association_type: associationTypeParameter },
  query: {
    direction: directionParameter,
    properties: propertiesParameter,
    limit: limitParameter,
    cursor: cursorParameter,
  },
  answer: { status: 200, description: 'A page of records.', schema: Type.Array(AssociatedRecordShape), paged: true },
  problems: ['not_found'],
  examples: listAssociatedExamples,
  faults: async (call, input) => {
    const found = findHopOf(call, input);
    if (found === undefined) return [];
    const cursor = input.query.get('cursor');
    const isOpen = cursor === undefined || (await placeOf(call, input, found)) !== undefined;
    const detail = 'This is no cursor that this list gave to this key. Begin again without one.';
    const broken: Fault = { parameter: 'cursor', reason: 'invalid_cursor', detail };
    return [...projectionFaults(found.hop, input), ...(isOpen ? [] : [broken])];
  },
  run: async (call, input) => {
    const type = requireObjectType(call.session, input.path['object_type'] ?? '');
    const found = findHopOf(call, input);
    if (found === undefined) throw associationTypeUnknown(type, input);
    const { id } = await readRecord(call, type, input.path['id'] ?? '', []);
    const after = await placeOf(call, input, found);
    const limit = Number(input.query.get('limit') ?? limits.pageSizeDefault);
    const { items, last } = await readAssociated(call, type, id, found.hop, { after, limit }, projectionOf(input));
    const scope = scopeOf(input, found);
    const next = last === undefined ? null : await call.engine.cursors.seal(call.session, scope, last);
    return { data: new JsonText(`[${items.map(associatedJson).join(',')}]`), pagination: { next_cursor: next } };
  },
};

interface Found {
  readonly type: ObjectType;
  readonly hop: Hop;
}

function findHopOf({ session: { catalog } }: Call, { path, query }: Input): Found | undefined {
  const type = catalog.objectTypes.get(path['object_type'] ?? '');
  const asked = directions.find((each) => each === query.get('direction'));
  const hop = type && findHop(catalog, type, path['association_type'] ?? '', asked);
  return type === undefined || hop === undefined ? undefined : { type, hop };
}

function scopeOf({ path }: Input, { type, hop }: Found): readonly string[] {
  return associatedScope(type, path['id'] ?? '', path['association_type'] ?? '', hop);
}

async function placeOf({ engine, session }: Call, input: Input, found: Found): Promise<string | undefined> {
  const cursor = input.query.get('cursor');
  return cursor === undefined ? undefined : engine.cursors.open(session, scopeOf(input, found), cursor);
}

/** Names that none of the types at the other end has. */
function projectionFaults({ ends }: Hop, input: Input): readonly Fault[] {
  const names = new Set(projectionOf(input) ?? []);
  const unknown = [...names].filter((name) => !ends.some((end) => end.properties.has(name)));
  return unknown.map((name) => {
    const near = ends.map((end) => end.nearestProperty(name)).find((each) => each !== undefined);
    const property = shorten(name, 64);
    return {
      parameter: 'properties',
      property,
      reason: 'unknown_property',
      detail: `What is linked here has no property ${JSON.stringify(property)} that this key can see.`,
      ...(near === undefined ? {} : { nearest: near }),
    };
  });
}

function associationTypeUnknown({ name }: ObjectType, { path, query }: Input): Problem {
  const asked = JSON.stringify(shorten(path['association_type'] ?? '', 64));
  const direction = query.get('direction');
  const as = direction === undefined ? '' : direction === 'outgoing' ? ' as a source' : ' as a target';
  return new Problem(
    'not_found',
    'association_type_unknown',
    `${name} has no association type ${asked}${as} that this key can see.`,
  );
}
