// GET /self/: who is calling, what the key is granted, and every limit that a client can run into.
import { Type } from 'typebox';
import { principalId, reaches } from '../access/caller.ts';
import { limits } from '../base/limits.ts';
import type { KeyOperation } from './operation.ts';
import { GrantShape } from './shapes.ts';

/** `bodyBytes` in the table of limits is `body_bytes` on the wire. */
const wireLimits = Object.fromEntries(
  Object.entries(limits).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]),
);

const LimitsShape = Type.Object(
  {
    ...Object.fromEntries(Object.keys(wireLimits).map((name) => [name, Type.Integer({ minimum: 1 })])),
    rate_limit: Type.Object({
      quota: Type.Integer({ minimum: 1, description: 'Units in a window. A request costs one.' }),
      window_seconds: Type.Integer({ minimum: 1 }),
    }),
  },
  { $id: 'Limits' },
);

export const getSelf: KeyOperation = {
  id: 'getSelf',
  method: 'GET',
  path: '/self/',
  tag: 'Service',
  access: 'key',
  summary: 'The calling key',
  description: 'The org and principal of the key, its reach and grants, and the limits that hold for it.',
  answer: {
    status: 200,
    description: 'The caller.',
    schema: Type.Object(
      {
        org_id: Type.Integer(),
        principal_id: Type.String({ description: "The user's id, or the key's for a key without a user." }),
        reach: Type.Enum([...reaches], {
          description: '`org` sees all records of the org, `user` those shared with the org or with its user.',
        }),
        credential: Type.Object({
          id: Type.String(),
          name: Type.String(),
          expires_at: Type.Optional(Type.String({ format: 'date-time' })),
        }),
        grants: Type.Array(GrantShape),
        limits: LimitsShape,
      },
      { $id: 'Self' },
    ),
  },
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
      grants: caller.grants.map((grant) => ({ object_types: grant.objectTypes, operations: grant.operations })),
      limits: { ...wireLimits, rate_limit: { quota: policy.quota, window_seconds: policy.windowSeconds } },
    },
  }),
};
