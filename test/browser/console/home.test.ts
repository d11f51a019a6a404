// Home in a real browser: its figures are those of the API and lead to their records, and it shows what the caller may see.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, overhang } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';
import { sendShown, shownRequests } from '../../support/browser/shown-requests.ts';
import { expectReadable, violations } from '../../support/browser/violations.ts';
import { administeredOrg, adminOf, makeMember } from '../../support/platform/administrator.ts';
import { make } from '../../support/records.ts';
import { memberWith, tokenFor } from '../../support/sign-in/person.ts';

/** The types that home is drawn from, each with its properties and associations. */
const readTypes = [
  ...['svc_deal', 'svc_deal_pipeline_stage', 'svc_note', 'svc_note_pipeline_stage', 'svc_stage_timer'],
  ...['svc_call', 'svc_email_thread', 'svc_meeting'],
].flatMap((name) => [`objects/${name}`, `objects/${name}/associations`]);

/** Figures by stage and by month, three risks and their deals; tasks, counted and listed; stages; what happened. */
const questions = [
  ...Array.from({ length: 5 }, () => 'objects/svc_deal/records/aggregate'),
  'objects/svc_deal/records/query',
  'objects/svc_note/records/aggregate',
  ...['svc_deal_pipeline_stage', 'svc_note_pipeline_stage'].map((name) => `objects/${name}/records/query`),
  ...['svc_note', 'svc_note', 'svc_call', 'svc_email_thread', 'svc_meeting', 'svc_stage_timer'].map(
    (name) => `objects/${name}/records/query`,
  ),
];

/** What the frame of every page asks: the changes, and the saved views when it hears of those. */
const ofFrame = ['changes', 'objects/svc_view/records/query'];

/** Holds back the requests to the API, but for those of the frame, until a wave of them is there. */
async function holdRequests(page: Page) {
  const held: { readonly path: string; readonly pass: () => void }[] = [];
  await page.route('**/rest/v1/**', async (route) => {
    const path = new URL(route.request().url()).pathname.replace('/rest/v1/', '').replace(/\/$/, '');
    if (!ofFrame.includes(path)) await new Promise<void>((pass) => held.push({ path, pass }));
    await route.continue();
  });
  const paths = () => held.map(({ path }) => path).toSorted();
  return {
    held: paths,
    /** Lets a wave pass that has just these requests: nothing is asked before they are all there, or after. */
    next: async (wave: readonly string[]) => {
      await expect.poll(paths, { timeout: 60_000 }).toEqual(wave.toSorted());
      for (const { pass } of held.splice(0)) pass();
    },
  };
}

describe.skipIf(browserPath === undefined)('home', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world.close());

  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const whole = async (page: Page) => {
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await part(page, 'Recent activity').getByRole('listitem').first().waitFor();
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
  };
  /** Somebody whose role has these grants. */
  const roleWith = async (name: string, grants: readonly string[]) => {
    const admin = await adminOf(world.service, world.orgId);
    const role = await make(admin, 'svc_role', { svc_name: name, svc_reach: 'org', svc_grants: grants });
    const email = `${name.toLowerCase()}@example.com`;
    await makeMember(admin, { svc_email: email }, role.id);
    return email;
  };

  test('the figures are those of the API, and each leads to its records', async () => {
    const { page, faults, offline, close } = await world.visit('');
    await whole(page);
    const negotiation = part(page, 'Open deals by stage').getByRole('row', { name: /^Negotiation/ });
    const { key } = await world.service.createKey(world.orgId);
    const [byStage] = await shownRequests(page);
    const groups = byStage === undefined ? [] : await sendShown(key, world.service.url, byStage);
    const shown = groups.find(({ key: [stage] }) => (stage as { title?: string } | null)?.title === 'Negotiation');
    expect(shown?.values['count']).toBe('4');
    // What is shown stays.
    await offline(async () => expect((await negotiation.innerText()).split(/\s+/)[1]).toBe('4'));
    expect((await negotiation.innerText()).split(/\s+/)).toEqual(['Negotiation', '4', '$248,000', '€186,000']);
    await negotiation.getByRole('link', { name: 'Negotiation' }).click();
    await page.getByRole('button', { name: 'Remove the filter on In stage' }).waitFor();
    await page.getByText('In stage is Negotiation').waitFor();
    await page.getByRole('button', { name: 'Count rows' }).click();
    await page.getByText('4 rows').waitFor();
    await page.goBack();
    await whole(page);
    await page.getByRole('link', { name: /^Open in Sales \$/ }).click();
    await page.getByText('In stage is any of Qualification, Discovery, Proposal').waitFor();
    await page.getByRole('button', { name: 'Count rows' }).click();
    await page.getByText('16 rows').waitFor();
    await page.goBack();
    await part(page, 'Open deals by stage').getByRole('button', { name: 'Renewals' }).click();
    await page.getByRole('link', { name: /^Open in Renewals/ }).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('won and lost are read as a chart by keyboard, and as a table', async () => {
    const { page, faults, close } = await world.visit('');
    await whole(page);
    const months = part(page, 'Won and lost by month');
    const bars = months.getByRole('link', { name: /^Won in .+: \$[\d,]+$/ });
    const words = (await bars.last().getAttribute('aria-label')) ?? '';
    const [, month = '', amount = ''] = /^Won in (.+): (.+)$/.exec(words) ?? [];
    await months.getByRole('button', { name: 'Table' }).click();
    const row = months.getByRole('row', { name: new RegExp(`^${month}`) });
    expect(await row.getByRole('link').first().innerText()).toBe(amount);
    await months.getByRole('button', { name: 'Chart' }).click();
    await bars.last().focus();
    await page.keyboard.press('Enter');
    await page.getByText('In stage is any of Won').waitFor();
    await page.getByText(/^Close date between/).waitFor();
    await page.getByRole('row').nth(1).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('a risk is told by its rule, and is gone when the deal is well again; a task is done by a tick', async () => {
    const admin = await world.administrator();
    const [deal] = await admin.records('svc_deal').query({ search: 'showroom bookings' }).toArray(1);
    await admin.records('svc_deal').update(deal?.id ?? '', { svc_close_date: '2020-01-31' });
    const { page, faults, close } = await world.visit('');
    await whole(page);
    const risks = part(page, 'Risks');
    await risks.getByText('Should have closed on 31 Jan 2020').waitFor();
    await risks.getByRole('link', { name: /^Close date has passed/ }).click();
    await page.getByRole('link', { name: 'Showroom bookings' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.goBack();
    await whole(page);
    // What changes elsewhere changes here.
    await page.getByText('Live', { exact: true }).waitFor();
    await admin.records('svc_deal').update(deal?.id ?? '', { svc_close_date: '2090-01-31' });
    await risks.getByText('Should have closed on 31 Jan 2020').waitFor({ state: 'detached' });
    const tasks = part(page, 'Tasks due');
    const first = tasks.getByRole('checkbox').first();
    const name = (await first.getAttribute('aria-label')) ?? '';
    const before = await page.getByRole('link', { name: /overdue$/ }).innerText();
    await first.click();
    await page.getByText('Task done').waitFor();
    await expect.poll(() => page.getByRole('link', { name: /overdue$/ }).innerText()).not.toBe(before);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await tasks.getByRole('checkbox', { name }).first().waitFor();
    await expect.poll(() => page.getByRole('link', { name: /overdue$/ }).innerText()).toBe(before);
    await page.getByRole('button', { name: 'Everyone' }).click();
    await page.getByRole('menuitemradio', { name: 'Mine' }).click();
    await whole(page);
    expect(await page.getByRole('link', { name: 'All open' }).getAttribute('href')).toContain('svc_record_to_user');
    expect(faults()).toEqual([]);
    await close();
  });

  test('a member of reach "user" counts only what they see, and every figure is the number of rows behind it', async () => {
    const admin = await world.administrator();
    const stages = await admin.records('svc_deal_pipeline_stage').query({}).toArray(50);
    const discovery = stages.find(({ properties }) => properties['svc_name'] === 'Discovery')?.id ?? '';
    const inDiscovery = {
      association: 'svc_deal_to_deal_pipeline_stage',
      operator: 'exists',
      target_id: discovery,
    } as const;
    const late = async (name: string) => {
      const associations = [{ association_type: inDiscovery.association, target_id: discovery }];
      const values = { svc_name: name, svc_close_date: '2020-01-31' };
      return (await admin.records('svc_deal').create(values, { associations })).data.id;
    };
    const made = [await late('Seen by all'), await late('Seen by the owner alone')];
    await admin.records('svc_deal').deleteAssociation(made[1] ?? '', 'svc_record_to_org', String(world.orgId));
    const all = await admin.records('svc_deal').query({ filter: inDiscovery }).toArray(100);
    const member = await memberWith(await adminOf(world.service, world.orgId), 'Member');
    const { page, faults, close } = await world.visit('', {}, { email: member.email });
    await whole(page);
    const row = part(page, 'Open deals by stage').getByRole('row', { name: /^Discovery/ });
    expect((await row.innerText()).split(/\s+/)[1]).toBe(String(all.length - 1));
    await part(page, 'Risks').getByRole('link', { name: 'Seen by all' }).waitFor();
    expect(await page.getByText('Seen by the owner alone').count()).toBe(0);

    // Figures are asked for before the stages are known, and links name these: both find the same records.
    const figures = [
      ...(await part(page, 'Risks').locator('.rules a').all()),
      page.getByRole('link', { name: /^Tasks due today/ }),
      page.getByRole('link', { name: /overdue$/ }),
      row.getByRole('link').first(),
    ];
    const expected = await Promise.all(
      figures.map(async (link, index) => {
        const text = index === figures.length - 1 ? await row.innerText() : await link.innerText();
        const number = index === figures.length - 1 ? text.split(/\s+/)[1] : /(\d+)(?: overdue)?$/.exec(text)?.[1];
        return { href: (await link.getAttribute('href')) ?? '', number: Number(number) };
      }),
    );
    expect(expected.length).toBeGreaterThan(4);
    for (const { href, number } of expected) {
      await page.goto(`${world.service.url}${href}`);
      await page.getByRole('button', { name: 'Count rows' }).click();
      await page.getByText(number === 1 ? '1 row' : `${number} rows`, { exact: true }).waitFor();
    }
    await admin.batch(
      made.map((id) => ({ operation: 'delete' as const, object_type: 'svc_deal', id })),
      { atomic: true },
    );
    expect(faults()).toEqual([]);
    await close();
  });

  test('what a role hides is neither shown nor asked for', async () => {
    const email = await roleWith('Amountless', ['*:read;hide=svc_amount,svc_close_date']);
    const visit = await world.visit('account', {}, { email });
    const asked: string[] = [];
    visit.page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`));
    await visit.page.getByRole('link', { name: 'Home' }).first().click();
    await whole(visit.page);
    await part(visit.page, 'Open deals by stage')
      .getByRole('row', { name: /^Proposal 4$/ })
      .waitFor();
    expect(await part(visit.page, 'Won and lost by month').count()).toBe(0);
    expect(asked.filter((text) => /svc_amount|svc_close_date/.test(text))).toEqual([]);
    expect(visit.faults()).toEqual([]);
    await visit.close();
    const people = await roleWith('People', ['svc_contact,svc_company:read']);
    const narrow = await world.visit('', {}, { email: people });
    const other: string[] = [];
    narrow.page.on('request', (request) => other.push(request.url()));
    await part(narrow.page, 'Newest contacts').getByRole('link').nth(2).waitFor();
    await part(narrow.page, 'Newest companies').getByRole('link').nth(2).waitFor();
    expect(other.filter((url) => /objects\/svc_(?!contact|company)/.test(url))).toEqual([]);
    expect(narrow.faults()).toEqual([]);
    await narrow.close();
  });

  test('it asks in few requests, and none waits for an answer that it is not made from', async () => {
    const { page, faults, close } = await world.visit('account', {}, { isAlone: true });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.goto('about:blank');
    // However slow the machine is, nothing that was read is old.
    await page.clock.setFixedTime(Date.now());
    const waves = await holdRequests(page);
    await page.goto(`${world.service.url}/console/account`);
    // What its figures are made from is read while there is nothing else to do.
    await waves.next(['self', 'objects', 'field_types']);
    await waves.next(readTypes);
    // Then it has nothing to wait for.
    await page.getByRole('link', { name: 'Home' }).first().click();
    await waves.next(questions);
    await whole(page);
    // A visit that begins with it asks the same, and its questions as soon as what they are made from is there.
    await page.reload();
    await waves.next(['self', 'objects', 'field_types']);
    await waves.next(readTypes);
    await waves.next(questions);
    await whole(page);
    expect(waves.held()).toEqual([]);
    expect(faults()).toEqual([]);
    await close();
  });

  test('a part that fails says why and is asked again; the others stay', async () => {
    const { page, close } = await world.visit('account');
    await page.getByText('Live', { exact: true }).waitFor();
    let isBroken = true;
    await page.route('**/objects/svc_stage_timer/records/query/', async (route) => {
      if (!isBroken) return route.continue();
      return route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          title: 'Overloaded',
          status: 500,
          detail: 'Too much at once.',
          code: 'internal_error',
          request_id: 'req-of-home',
        }),
      });
    });
    await page.getByRole('link', { name: 'Home' }).first().click();
    const recent = part(page, 'Recent activity');
    await recent.getByText('Too much at once.').waitFor();
    await recent.getByText('req-of-home').waitFor();
    await part(page, 'Open deals by stage')
      .getByRole('row', { name: /^Negotiation/ })
      .waitFor();
    isBroken = false;
    await recent.getByRole('button', { name: 'Try again' }).click();
    await recent.getByRole('listitem').first().waitFor();
    await close();
  });

  test('a new org is told that there is nothing yet, and what to do', async () => {
    const { orgId, admin } = await administeredOrg(world.service);
    const { email } = await memberWith(admin, 'Administrator');
    const token = await tokenFor(world.service, orgId, email);
    const { page, faults, close } = await world.visit('', { reducedMotion: 'reduce' }, { email, token });
    // It begins with its first steps.
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    await page.getByRole('link', { name: 'Home', exact: true }).first().click();
    await page.getByText('No deals yet').waitFor();
    await page.getByText('Nothing is due', { exact: true }).waitFor();
    await page.getByText('No open deals at risk').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'New deal' }).click();
    await page.getByRole('dialog', { name: 'New deal' }).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('it is readable in both themes and at every width', async () => {
    const { page, faults, close } = await world.visit('account', { reducedMotion: 'reduce' });
    await page.goto(`${world.service.url}/console/`);
    await whole(page);
    await expectReadable(page, 'home');
    for (const width of [360, 768, 2_560, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overhang(page), `${width} pixels`).toBe(0);
    }
    expect(faults()).toEqual([]);
    await close();
  });
});
