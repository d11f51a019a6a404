// Every built-in object type, in the order of the specification's 2.3 and 2.4. Additions of an org, and what a key sees
// of them, are decided elsewhere. The hidden types `svc_user` and `svc_org` are only ends of associations.
import type { ObjectType } from '../object-type.ts';
import { accessTypes } from './access-types.ts';
import { activityTypes } from './activity-types.ts';
import { coreTypes } from './core-types.ts';
import { definitionTypes } from './definition-types.ts';
import { generatedTypes } from './generated-types.ts';
import { operationalTypes } from './operational-types.ts';
import { pipelineTypes } from './pipeline-types.ts';
import { syncedTypes } from './synced-types.ts';

export const builtinObjectTypes: readonly ObjectType[] = [
  ...coreTypes,
  ...pipelineTypes,
  ...syncedTypes,
  ...activityTypes,
  ...generatedTypes,
  ...definitionTypes,
  ...accessTypes,
  ...operationalTypes,
];
