// What the pages about access know by name: the links of members and keys, and the role that always stays.
export const roleLink = 'svc_member_to_role';
export const keyLink = 'svc_access_key_to_member';

/** The role that can be neither changed nor deleted. */
export const administrator = 'Administrator';
