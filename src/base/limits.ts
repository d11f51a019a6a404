// Every limit of the service, once (contract 9). `GET /self/` reports those that a client can run into.

export const limits = {
  bodyBytes: 1_048_576,
  batchBodyBytes: 8_388_608,
  batchOperations: 1_000,
  pageSizeDefault: 50,
  pageSize: 500,
  changesPageSize: 1_000,
  filterConditions: 50,
  filterDepth: 5,
  inValues: 1_000,
  sortKeys: 3,
  groupKeys: 3,
  aggregations: 10,
  groups: 1_000,
  valuesPerProperty: 100,
  propertiesPerType: 500,
  statementSeconds: 10,
} as const;

/** Bounds that no client plans with: they keep one process healthy. */
export const bounds = {
  urlBytes: 8_192,
  headerBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  drainTimeoutMs: 25_000,
  connections: 10_000,
  faultsReported: 500,
  poolConnections: 10,
  urgentConnections: 2,
  poolWaiting: 500,
  poolWaitMs: 5_000,
  poolCloseMs: 5_000,
  statementWaitMs: 15_000,
  transactionAttempts: 3,
  contestedAttempts: 10,
  idempotencyKeptSeconds: 86_400,
  housekeepingFirstMs: 60_000,
  housekeepingEveryMs: 600_000,
  housekeepingSteps: 200,
  namedStatements: 500,
  readKeys: 10_000,
  cachedOrgs: 1_000,
  cachedCredentialsPerOrg: 10_000,
  cachedCatalogsPerOrg: 100,
  limiterAccounts: 10_000,
  lastUses: 10_000,
  anonymousAddresses: 10_000,
  objectTypesPerOrg: 200,
  associationTypesPerOrg: 500,
  associationPairsPerOrg: 20_000,
  optionsPerProperty: 500,
  grantsPerKey: 100,
  linksPerCreate: 100,
  schemaFileBytes: 4_194_304,
} as const;

/** The policy of requests that carry no valid key, per address and process. */
export const anonymousPolicy = { name: 'anonymous', quota: 300, windowSeconds: 60 } as const;
/** The policy of an org that was created without one of its own. */
export const orgPolicyDefault = { quota: 6_000, windowSeconds: 60 } as const;
