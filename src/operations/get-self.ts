// GET /self/: who is calling, what the key may do, and every limit that a client can run into.
import { Type } from 'typebox';
import { principalId, reaches } from '../access/caller.ts';
import { type Grant, grantJson, grantOperations } from '../access/grant.ts';
import { limits, orgPolicyDefault } from '../base/limits.ts';
import { keyOperation } from './operation.ts';

/** `bodyBytes` in the table of limits is `body_bytes` on the wire. */
const wireLimits = Object.fromEntries(Object.entries(limits).map(([name, value]) => [wireName(name), value]));

function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The description of each limit. */
const limitTexts: Readonly<Record<keyof typeof limits, string>> = {
  bodyBytes: 'Bytes in a body.',
  batchBodyBytes: 'Bytes in the body of a batch.',
  batchOperations: 'Operations in a batch.',
  pageSizeDefault: 'Records on a page without `limit`.',
  pageSize: 'Records on a page, at most.',
  changesPageSize: 'Entries on a page of changes, at most.',
  filterConditions: 'Conditions in a filter.',
  filterDepth: 'Levels of and, or, not and association in a filter.',
  inValues: 'Values of the operators in and not_in.',
  sortKeys: 'Sort keys.',
  groupKeys: 'Group keys.',
  aggregations: 'Aggregations in one request.',
  groups: 'Groups on a page, at most.',
  valuesPerProperty: 'Values of a multi-valued property.',
  propertiesPerType: 'Properties of an object type.',
  statementSeconds: 'Seconds that one request may take in the database; after that it gets 504.',
};

const GrantShape = Type.Object(
  {
    object_types: Type.Array(Type.String(), {
      description: 'Names of object types, "*" for all but the platform types, or "platform" for those.',
    }),
    operations: Type.Array(Type.Enum([...grantOperations]), { description: 'What the key can do with them.' }),
    locked_properties: Type.Optional(
      Type.Array(Type.String(), { description: 'Properties of these types that the key cannot write.' }),
    ),
  },
  { $id: 'Grant' },
);

const LimitsShape = Type.Object(
  {
    ...Object.fromEntries(
      Object.entries(limitTexts).map(([name, description]) => [
        wireName(name),
        Type.Integer({ minimum: 1, description }),
      ]),
    ),
    rate_limit: Type.Object({
      quota: Type.Integer({ minimum: 1, description: 'Units in a window. Most requests cost one.' }),
      window_seconds: Type.Integer({ minimum: 1, description: 'The length of a window in seconds.' }),
    }),
  },
  { $id: 'Limits' },
);

/** A hidden property does not exist for the key, so its own grants do not name it either. */
function withoutHidden({ objectTypes, operations, hiddenProperties = [], lockedProperties = [] }: Grant): Grant {
  const locked = lockedProperties.filter((name) => !hiddenProperties.includes(name));
  return { objectTypes, operations, ...(locked.length === 0 ? {} : { lockedProperties: locked }) };
}

export const getSelf = keyOperation({
  id: 'getSelf',
  method: 'GET',
  path: '/self/',
  tag: 'Service',
  access: 'key',
  summary: 'Get the calling key',
  description:
    'Returns the org and principal of the calling key, its reach, its grants and its limits. Call it first: what is not ' +
    'granted is denied.',
  answer: {
    status: 200,
    description: 'The caller.',
    schema: Type.Object(
      {
        org_id: Type.Integer({ description: 'The org that the key belongs to.' }),
        principal_id: Type.String({ description: "The user's id, or the key's id if it has no user." }),
        reach: Type.Enum([...reaches], {
          description: '`org` sees all records of the org, `user` those shared with the org or with its user.',
        }),
        credential: Type.Object({
          id: Type.String({ description: 'Identifies the key; it is not secret.' }),
          name: Type.String({ description: 'The name that the operator gave it.' }),
          expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'When the key expires.' })),
        }),
        grants: Type.Array(GrantShape, { description: 'What is not granted is denied; every operation implies read.' }),
        limits: LimitsShape,
      },
      { $id: 'Self' },
    ),
  },
  examples: {
    caller: {
      summary: 'A key that can do everything with contacts and companies, and only read the rest',
      answer: {
        data: {
          org_id: 1,
          principal_id: '0000000Xk7Qp',
          reach: 'org',
          credential: { id: '0000000Xk7Qp', name: 'CRM sync', expires_at: '2027-11-16T00:00:00.000Z' },
          grants: [
            { object_types: ['svc_contact', 'svc_company'], operations: [...grantOperations] },
            { object_types: ['*'], operations: ['read'] },
          ],
          limits: {
            ...wireLimits,
            rate_limit: { quota: orgPolicyDefault.quota, window_seconds: orgPolicyDefault.windowSeconds },
          },
        },
      },
    },
  },
  parse: () => ({}),
  run: ({ session: { caller, policy } }) => ({
    data: {
      org_id: caller.orgId,
      principal_id: principalId(caller),
      reach: caller.reach,
      credential: {
        id: caller.credentialId,
        name: caller.credentialName,
        ...(caller.expiresAt === null ? {} : { expires_at: caller.expiresAt.toISOString() }),
      },
      grants: caller.grants.map(withoutHidden).map(grantJson),
      limits: { ...wireLimits, rate_limit: { quota: policy.quota, window_seconds: policy.windowSeconds } },
    },
  }),
});
