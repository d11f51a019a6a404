// GET /objects/{object_type}/records/{id}/associations/{association_type}/: the other ends of a record's links, page by page.
import { Type } from 'typebox';
import { shorten } from '../../client/import/described.ts';
import { JsonText, listParts } from '../base/json.ts';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { readAssociated } from '../engine/read/include.ts';
import { directions, findHop } from '../query/hop.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { listAssociatedExamples } from './examples/associations.ts';
import { keyOperation } from './operation.ts';
import {
  associationTypeParameter,
  cursorParameter,
  idParameter,
  limitParameter,
  objectTypeParameter,
  type Parameter,
  propertiesParameter,
} from './request/parameters.ts';
import { AssociatedRecordShape } from './shapes/record.ts';
import { associatedScope } from './shared/include.ts';
import { nextCursor, openCursor } from './shared/page-cursor.ts';
import { requireObjectType } from './shared/permit.ts';
import { parseProjection } from './shared/projection.ts';
import { associatedParts } from './shared/record-json.ts';

const directionParameter: Parameter = {
  description:
    'The end that the record is at: `outgoing` links have it as their source, `incoming` links as their target. Needed only ' +
    'if both ends have the same type; the default is then `outgoing`.',
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

export const listAssociated = keyOperation({
  id: 'listAssociated',
  method: 'GET',
  path: '/objects/{object_type}/records/{id}/associations/{association_type}/',
  tag: 'Associations',
  access: 'key',
  summary: 'List the records that a record is linked to',
  description:
    'Returns the records at the other ends of the links of one association type, in ascending order of id, each with ' +
    '`associated_at`. Links can be read from both ends. A user or an org has only a title.',
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
  parse: async (call, { path, query }, faults) => {
    const type = requireObjectType(call.session, path.object_type);
    const direction = directions.find((each) => each === query.get('direction'));
    const hop = findHop(call.session.catalog, type, path.association_type, direction);
    if (hop === undefined) throw associationTypeUnknown(type, path.association_type, direction);
    const projection = parseProjection(query.get('properties'), hop.ends, 'The linked records have', faults);
    const scope = associatedScope(type, path.id, path.association_type, hop);
    const after = await openCursor(call, scope, query.get('cursor'), String, (fault) =>
      faults.push({ parameter: 'cursor', ...fault }),
    );
    const limit = Number(query.get('limit') ?? limits.pageSizeDefault);
    return { type, id: path.id, hop, projection, scope, place: { after, limit } };
  },
  run: async (call, { type, id, hop, projection, scope, place }) => {
    const { items, last } = await readAssociated(call, type, id, hop, place, projection);
    return {
      data: new JsonText(listParts(items.map(associatedParts))),
      pagination: { next_cursor: await nextCursor(call, scope, last) },
    };
  },
});

function associationTypeUnknown(
  { name }: ObjectType,
  associationType: string,
  direction: (typeof directions)[number] | undefined,
): Problem {
  const asked = JSON.stringify(shorten(associationType, 64));
  const as = direction === undefined ? '' : direction === 'outgoing' ? ' as a source' : ' as a target';
  return new Problem(
    'not_found',
    'association_type_unknown',
    `${name} has no association type ${asked}${as} that this key can see.`,
  );
}
