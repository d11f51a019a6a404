// The model of links must be able to find errors: answers of a correct service are falsified on their way, each in one
// kind of place, and each is found.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLinkFaults } from '../support/links/driver.ts';
import { type Reply, type ReplyBody, type Send, sendTo } from '../support/links/requests.ts';
import { linksSchema } from '../support/links/world.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Shown {
  version: string;
  associated_at?: string;
  changed?: boolean;
  properties: Record<string, string>;
  associations: Record<string, { items: Shown[] }>;
}

/** Changes the list of an answer, or each of its members. */
type Damage = (data: Shown[]) => void;

const each = (change: (shown: Shown) => void) => (data: Shown[]) => {
  for (const shown of data) change(shown);
};

function later(text: string | undefined): string {
  return new Date(Date.parse(text ?? '') + 1).toISOString();
}

function includedIn(shown: Shown): readonly { items: Shown[] }[] {
  return Object.values(shown.associations);
}

/** A thousandth of a second more, in the named values. */
function shift(...names: readonly string[]): Damage {
  return each(({ properties }) => {
    for (const name of names) if (properties[name] !== undefined) properties[name] = later(properties[name]);
  });
}

async function falsified(method: string, path: RegExp, damage: Damage): Promise<Send> {
  const orgId = await service.createOrg({ quota: 10_000_000, windowSeconds: 60 });
  await service.applySchema(orgId, linksSchema);
  const send = sendTo(service.url, (await service.createKey(orgId)).key);
  return async (request): Promise<Reply> => {
    const reply = await send(request);
    if (request.method !== method || !path.test(request.path) || reply.status >= 300) return reply;
    const data = structuredClone(reply.body.data);
    damage((Array.isArray(data) ? data : [data]) as Shown[]);
    return { ...reply, body: { ...reply.body, data } as ReplyBody };
  };
}

const timers = /svc_stage_timer\/records/;

test.each<readonly [string, string, RegExp, Damage, RegExp]>([
  ['a lost entry of the feed', 'GET', /changes/, (data) => data.shift(), /the (feed|entry)/],
  ['an entry that comes twice', 'GET', /changes/, (data) => data.push(...data.slice(-1)), /comes twice/],
  ['entries in another order', 'GET', /changes/, (data) => data.reverse(), /the entry/],
  ['a version', 'GET', /svc_deal\/records\/\?/, each((deal) => (deal.version += '0')), /has the version/],
  ['a time without a stage', 'GET', timers, shift('svc_entered_at'), /it is not/],
  ['a timer that does not join', 'GET', timers, shift('svc_entered_at', 'svc_left_at'), /entered a stage|left at/],
  ['a timer too few', 'GET', timers, (data) => data.pop(), /no timer of|cannot be read/],
  [
    'a timer of another stage',
    'GET',
    timers,
    each((timer) => includedIn(timer).map(({ items }) => items.pop())),
    /a timer too many|is linked by/,
  ],
  [
    'a second stage',
    'GET',
    /svc_deal\/records\/\?.*include/,
    each((deal) => includedIn(deal).map(({ items }) => items.push(...items))),
    /has 2 stages/,
  ],
  [
    'a stage of another time',
    'GET',
    /svc_deal\/records\/\?.*include/,
    each((deal) =>
      includedIn(deal).map(({ items }) => each((end) => (end.associated_at = later(end.associated_at)))(items)),
    ),
    /entered (a|its) stage/,
  ],
  ['a link that is not seen', 'GET', /associations/, (data) => data.shift(), /expected|other timers/],
  ['a last activity', 'GET', /svc_(deal|contact)\/records\/\?/, shift('svc_last_activity_at'), /last activity/],
  ['a link that is said to be new', 'PUT', /associations/, each((link) => (link.changed = true)), /changed: false/],
])('%s is found', async (_, method, path, damage, finding) => {
  const findings = await findLinkFaults({
    send: await falsified(method, path, damage),
    seed: 7,
    count: 60,
    checks: 1,
  });
  expect(findings.join('\n')).toMatch(finding);
});
