// The roles that every org begins with. Administrator is built in; the others are the org's to change.
import { administrator } from './platform.ts';

interface DefaultRole {
  readonly svc_name: string;
  readonly svc_reach: 'user' | 'org';
  readonly svc_grants: readonly string[];
}

const everything = 'read,create,update,delete,associate';
/** Everybody may know who else is in the org, but not how to reach them. */
const namesOfMembers = 'svc_member:read;hide=svc_email,svc_last_seen_at';

export const defaultRoles: readonly DefaultRole[] = [
  { svc_name: administrator, svc_reach: 'org', svc_grants: [`*:${everything}`, `platform:${everything}`] },
  {
    svc_name: 'Member',
    svc_reach: 'user',
    svc_grants: [`*:${everything}`, `svc_view:${everything}`, namesOfMembers],
  },
  { svc_name: 'Viewer', svc_reach: 'org', svc_grants: ['*:read', 'svc_view:read', namesOfMembers] },
];
