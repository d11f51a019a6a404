// Requests of every kind that are sent until they are stopped, for tests of what happens meanwhile. Every answer is
// checked against the contract, and counted.
import { newId } from '../../../src/base/id.ts';
import type { Answer } from '../answer.ts';
import type { Client } from '../client.ts';
import { pathOfRecord, type RecordData, recordsPath } from '../records.ts';

/** Each kind of answer, such as "201" or "503 storage_unavailable", with how many of it came. */
type Answers = Readonly<Record<string, number>>;

/** While `run` runs, each client makes, changes, links, reads, deletes and follows the feed, one request at a time. */
export async function underLoad(clients: readonly Client[], run: () => Promise<void>): Promise<Answers> {
  const counts: Record<string, number> = {};
  let isOver = false;
  const note = (answer: Answer) => {
    const retry = answer.status === 503 && answer.headers.get('retry-after') === null ? ' without Retry-After' : '';
    const kind = [answer.status, answer.body?.reason].filter(Boolean).join(' ') + retry;
    counts[kind] = (counts[kind] ?? 0) + 1;
    return answer;
  };
  const running = clients.map(async (client) => {
    const call = async (method: string, path: string, body?: unknown) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      return note(await client.call(method, path, { headers, ...sent, allowFault: true }));
    };
    while (!isOver) await oneLife(call);
  });
  try {
    await run();
  } finally {
    isOver = true;
    await Promise.all(running);
  }
  return counts;
}

type CallService = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** A contact from its creation to its end. Refusals on the way are ignored. */
async function oneLife(call: CallService): Promise<void> {
  const email = `${newId()}@example.com`;
  const properties = { svc_last_name: 'Ångström\t\\.\n"N"', svc_email: [email], svc_summary: 'line\r\n\\N \\. é 😀' };
  const contact: RecordData | undefined = (await call('POST', recordsPath('svc_contact'), { properties })).body?.data;
  const company: RecordData | undefined = (
    await call('POST', recordsPath('svc_company'), { properties: { svc_name: email } })
  ).body?.data;
  const changes = (await call('GET', '/changes/?limit=2')).body?.pagination?.next_cursor;
  if (typeof changes === 'string') await call('GET', `/changes/?limit=2&cursor=${changes}`);
  await call('GET', `${recordsPath('svc_contact')}?limit=3`);
  await call('POST', `${recordsPath('svc_contact')}query/`, {
    filter: { property: 'svc_email', operator: 'eq', value: email },
  });
  if (contact?.id === undefined || company?.id === undefined) return;
  const path = pathOfRecord(contact);
  await call('PATCH', path, { properties: { svc_job_title: 'x' } });
  await call('PUT', `${path}associations/svc_contact_to_company/${company.id}/`);
  await call('GET', path);
  if (email.charCodeAt(30) % 2 === 0) await call('DELETE', path);
}
