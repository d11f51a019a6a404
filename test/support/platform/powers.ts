// What a key can do, found out from outside: the types, properties and operations that the service shows it, its reach and
// its end. It knows nothing of grants.
import type { Client } from '../client.ts';

interface Self {
  readonly reach: 'user' | 'org';
  readonly credential: { readonly expires_at?: string };
  readonly grants: readonly { readonly object_types: readonly string[] }[];
}

interface SeenType {
  readonly name: string;
  readonly writable_operations: readonly string[];
  readonly properties: readonly { readonly name: string; readonly read_only: boolean }[];
}

export interface Powers {
  /** `svc_contact/update`, `svc_contact.svc_email/read`, `svc_contact.svc_email/write`. */
  readonly can: ReadonlySet<string>;
  readonly wholeOrg: boolean;
  readonly endsMs: number;
}

/** Undefined if the key does not work. */
export async function powersOf(client: Client): Promise<Powers | undefined> {
  const answer = await client.get('/self/');
  if (answer.status !== 200) return undefined;
  const self = answer.body.data as Self;
  const can = new Set<string>();
  // The words for all types also name types that are yet to come.
  for (const name of self.grants.flatMap(({ object_types }) => object_types)) {
    if (name === '*' || name === 'platform') can.add(`later ${name}`);
  }
  const listed = (await client.get('/objects/')).body.data as readonly { readonly name: string }[];
  for (const { name } of listed) {
    const type = (await client.get(`/objects/${name}/`)).body.data as SeenType;
    for (const operation of type.writable_operations) can.add(`${name}/${operation}`);
    for (const property of type.properties) {
      can.add(`${name}.${property.name}/read`);
      if (!property.read_only && type.writable_operations.length > 0) can.add(`${name}.${property.name}/write`);
    }
  }
  const ends = self.credential.expires_at;
  return {
    can,
    wholeOrg: self.reach === 'org',
    endsMs: ends === undefined ? Number.POSITIVE_INFINITY : Date.parse(ends),
  };
}

/** What the one can do and the other cannot. */
export function excessOf(one: Powers, other: Powers): readonly string[] {
  return [
    ...[...one.can].filter((power) => !other.can.has(power)),
    ...(one.wholeOrg && !other.wholeOrg ? ['the whole org'] : []),
    ...(one.endsMs > other.endsMs ? ['a later end'] : []),
  ];
}
