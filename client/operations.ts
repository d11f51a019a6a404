// The 20 operations of the service as data: method, path, and whether it is safe to send one again. A test compares this
// table with the OpenAPI document of the service.

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The effect of sending it twice. `harmless`: it only reads. `same`: the second request finds the work done. `keyed`: an
 * Idempotency-Key makes the service give the second request the answer to the first.
 */
export type Repetition = 'harmless' | 'same' | 'keyed';

interface Operation {
  readonly method: Method;
  /** Below `/rest/v1`. */
  readonly path: string;
  readonly repetition: Repetition;
}

const records = '/objects/{object_type}/records/';
const record = `${records}{id}/`;
const associations = `${record}associations/{association_type}/`;
const association = `${associations}{target_id}/`;

export const operations = {
  getRoot: { method: 'GET', path: '/', repetition: 'harmless' },
  getOpenapi: { method: 'GET', path: '/openapi.json', repetition: 'harmless' },
  getSelf: { method: 'GET', path: '/self/', repetition: 'harmless' },
  listObjectTypes: { method: 'GET', path: '/objects/', repetition: 'harmless' },
  getObjectType: { method: 'GET', path: '/objects/{object_type}/', repetition: 'harmless' },
  listFieldTypes: { method: 'GET', path: '/field_types/', repetition: 'harmless' },
  listRecords: { method: 'GET', path: records, repetition: 'harmless' },
  listAssociationTypes: { method: 'GET', path: '/objects/{object_type}/associations/', repetition: 'harmless' },
  putAssociation: { method: 'PUT', path: association, repetition: 'same' },
  deleteAssociation: { method: 'DELETE', path: association, repetition: 'same' },
  createRecord: { method: 'POST', path: records, repetition: 'keyed' },
  getRecord: { method: 'GET', path: record, repetition: 'harmless' },
  updateRecord: { method: 'PATCH', path: record, repetition: 'keyed' },
  deleteRecord: { method: 'DELETE', path: record, repetition: 'same' },
  queryRecords: { method: 'POST', path: `${records}query/`, repetition: 'harmless' },
  aggregateRecords: { method: 'POST', path: `${records}aggregate/`, repetition: 'harmless' },
  listAssociated: { method: 'GET', path: associations, repetition: 'harmless' },
  upsertRecord: { method: 'PUT', path: records, repetition: 'keyed' },
  batch: { method: 'POST', path: '/batch/', repetition: 'keyed' },
  listChanges: { method: 'GET', path: '/changes/', repetition: 'harmless' },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;
