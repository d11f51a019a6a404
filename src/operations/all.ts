// The table of contents: every operation there is, in the order of contract 1. Routes, checks and the OpenAPI document
// are made from it; there is no second list.
import { getObjectType } from './get-object-type.ts';
import { getOpenapi } from './get-openapi.ts';
import { getRoot } from './get-root.ts';
import { getSelf } from './get-self.ts';
import { listAssociationTypes } from './list-association-types.ts';
import { listFieldTypes } from './list-field-types.ts';
import { listObjectTypes } from './list-object-types.ts';
import type { Operation } from './operation.ts';

export const operations: readonly Operation[] = [
  getRoot,
  getOpenapi,
  getSelf,
  listObjectTypes,
  getObjectType,
  listFieldTypes,
  listAssociationTypes,
];
