// The table of contents: every operation, in the order of contract 1. Routes, checks and the OpenAPI document are made
// from it; there is no second list.
import { aggregateRecords } from './aggregate-records.ts';
import { batch } from './batch.ts';
import { createRecord } from './create-record.ts';
import { deleteAssociation } from './delete-association.ts';
import { deleteRecord } from './delete-record.ts';
import { getObjectType } from './get-object-type.ts';
import { getOpenapi } from './get-openapi.ts';
import { getRecord } from './get-record.ts';
import { getRoot } from './get-root.ts';
import { getSelf } from './get-self.ts';
import { listAssociated } from './list-associated.ts';
import { listAssociationTypes } from './list-association-types.ts';
import { listChanges } from './list-changes.ts';
import { listFieldTypes } from './list-field-types.ts';
import { listObjectTypes } from './list-object-types.ts';
import { listRecords } from './list-records.ts';
import type { Operation } from './operation.ts';
import { putAssociation } from './put-association.ts';
import { queryRecords } from './query-records.ts';
import { updateRecord } from './update-record.ts';
import { upsertRecord } from './upsert-record.ts';

export const operations: readonly Operation[] = [
  getRoot,
  getOpenapi,
  getSelf,
  listObjectTypes,
  getObjectType,
  listFieldTypes,
  listRecords,
  listAssociationTypes,
  putAssociation,
  deleteAssociation,
  createRecord,
  getRecord,
  updateRecord,
  deleteRecord,
  queryRecords,
  aggregateRecords,
  listAssociated,
  upsertRecord,
  batch,
  listChanges,
];
