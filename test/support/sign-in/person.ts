// Somebody with a browser: sends our own origin, keeps the cookies that come, and the bearer in memory.

import { withCommandEngine } from '../../../src/engine/process/command-engine.ts';
import { linkForMember } from '../../../src/engine/sign-in/for-operator.ts';
import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';
import { makeMember, roleNamed } from '../platform/administrator.ts';
import type { RecordData } from '../records.ts';
import type { TestService } from '../service.ts';

interface Sent {
  readonly bearer?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Person {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  bearer: string | undefined;

  constructor(url: string) {
    this.url = url;
  }

  /** `path` is below /auth. */
  async post(path: string, body: object = {}, { bearer = this.bearer, headers }: Sent = {}): Promise<Answer> {
    const answer = await this.send('POST', path, {
      headers: {
        'content-type': 'application/json',
        origin: this.url,
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
  }

  async send(
    method: string,
    path: string,
    { headers, body }: Pick<RequestInit, 'headers' | 'body'> = {},
  ): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${this.url}/auth/${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) },
      ...(body === undefined ? {} : { body }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (set.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** Signs in by a link, and keeps the bearer. */
  async open(token: string, more: object = {}): Promise<Answer> {
    const answer = await this.post('link', { token, ...more });
    this.bearer = answer.body.data?.bearer;
    return answer;
  }

  /** The next bearer of the session. */
  async refresh(): Promise<Answer> {
    const answer = await this.post('bearer');
    this.bearer = answer.body.data?.bearer;
    return answer;
  }
}

export interface TestMember {
  readonly id: string;
  readonly email: string;
}

let members = 0;

/** A member who can sign in, with the role of that name. */
export async function memberWith(admin: Client, role: string, values: object = {}): Promise<TestMember & RecordData> {
  const email = `member${++members}@example.com`;
  const { id: roleId } = await roleNamed(admin, role);
  const member = await makeMember(admin, { svc_name: 'Ada Lovelace', svc_email: email, ...values }, roleId);
  return { ...member, email };
}

/** The token of a new link, as the operator makes it. */
export async function tokenFor(
  { database }: TestService,
  orgId: number,
  email: string,
  kind: 'link' | 'invitation' = 'link',
): Promise<string> {
  const { token } = await withCommandEngine(database, (engine) => linkForMember(engine, { orgId, email, kind }));
  return token;
}

/** Somebody who has just signed in as the member. */
export async function signedIn(service: TestService, orgId: number, { email }: TestMember): Promise<Person> {
  const person = new Person(service.url);
  const answer = await person.open(await tokenFor(service, orgId, email));
  if (answer.status !== 200) throw new Error(answer.text);
  return person;
}

/** Somebody who has signed in with an invitation, and chosen a password. */
export async function withPassword(
  service: TestService,
  orgId: number,
  { email }: TestMember,
  password: string,
): Promise<Person> {
  const person = new Person(service.url);
  const answer = await person.open(await tokenFor(service, orgId, email, 'invitation'), { password });
  if (answer.status !== 200) throw new Error(answer.text);
  return person;
}
