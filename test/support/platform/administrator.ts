// Clients that administer an org by its platform records.
import { adminGrant, fullGrant, type Grant } from '../../../src/access/grant.ts';
import type { Client } from '../client.ts';
import { make, type RecordData, recordsPath } from '../records.ts';
import type { TestService } from '../service.ts';

export interface AdministeredOrg {
  readonly orgId: number;
  /** A key without a member that may do everything. */
  readonly admin: Client;
}

export async function administeredOrg(service: TestService): Promise<AdministeredOrg> {
  const orgId = await service.createOrg({ quota: 1_000_000, windowSeconds: 60 });
  return { orgId, admin: await adminOf(service, orgId) };
}

export async function adminOf(service: TestService, orgId: number, more: readonly Grant[] = []): Promise<Client> {
  return service.client((await service.createKey(orgId, { grants: [fullGrant, adminGrant, ...more] })).key);
}

interface KeyRequest {
  readonly grants: readonly string[];
  readonly reach?: 'user' | 'org';
  readonly expires?: string;
  readonly member?: string;
}

/** The body that creates a key. */
export function keyBody({ grants, reach, expires, member }: KeyRequest): object {
  return {
    properties: {
      svc_name: 'made by a test',
      svc_grants: grants,
      ...(reach === undefined ? {} : { svc_reach: reach }),
      ...(expires === undefined ? {} : { svc_expires_at: expires }),
    },
    ...(member === undefined
      ? {}
      : { associations: [{ association_type: 'svc_access_key_to_member', target_id: member }] }),
  };
}

/** Creates a key, and returns its record with the secret. */
export async function makeKey(client: Client, request: KeyRequest): Promise<RecordData & { readonly key: string }> {
  const answer = await client.post(recordsPath('svc_access_key'), keyBody(request));
  if (answer.status !== 201) throw new Error(answer.text);
  const data = answer.body.data as RecordData;
  return { ...data, key: String(data.properties['svc_key']) };
}

export async function makeMember(client: Client, values: object = {}, roleId?: string): Promise<RecordData> {
  const links = roleId === undefined ? [] : [{ association_type: 'svc_member_to_role', target_id: roleId }];
  return make(client, 'svc_member', { svc_name: 'Ada', ...values }, links);
}

/** The role of that name. */
export async function roleNamed(client: Client, name: string): Promise<RecordData> {
  const answer = await client.get(`${recordsPath('svc_role')}?limit=200`);
  const role = (answer.body.data as readonly RecordData[]).find(({ properties }) => properties['svc_name'] === name);
  if (role === undefined) throw new Error(answer.text);
  return role;
}

/** The actions in the audit, the oldest first. */
export async function auditOf(client: Client): Promise<readonly RecordData[]> {
  const answer = await client.get(`${recordsPath('svc_audit_entry')}?limit=200`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data as readonly RecordData[];
}

export async function actionsOf(client: Client): Promise<readonly string[]> {
  return (await auditOf(client)).map(({ properties }) => String(properties['svc_action']));
}
