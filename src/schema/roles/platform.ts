// The numbers of platform types and of the association types between them, for what must know them: who may call, and what
// is written with a change of the administration.
export const platformTypes = {
  objectType: 30,
  property: 31,
  propertyOption: 32,
  associationType: 33,
  member: 34,
  role: 35,
  accessKey: 36,
  auditEntry: 38,
  job: 39,
} as const;

/** The types of definitions: what the schema of an org consists of. */
export const definitionTypeIds: readonly number[] = [
  platformTypes.objectType,
  platformTypes.property,
  platformTypes.propertyOption,
  platformTypes.associationType,
];

export const platformLinks = {
  /** `svc_property_to_object_type` */
  propertyToType: 34,
  /** `svc_property_option_to_property` */
  optionToProperty: 35,
  /** `svc_member_to_role` */
  memberToRole: 36,
  /** `svc_access_key_to_member` */
  keyToMember: 37,
} as const;

/** The role that everybody else's roles are covered by. It is built in: nobody can change or delete it. */
export const administrator = 'Administrator';
