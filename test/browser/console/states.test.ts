// What the console shows when something is not as usual: nothing to see, not granted, refused, slow, broken, offline, signed out.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';
import { adminOf, makeMember, roleNamed } from '../../support/platform/administrator.ts';
import { make, recordsPath } from '../../support/records.ts';
import { memberWith, tokenFor } from '../../support/sign-in/person.ts';

describe.skipIf(browserPath === undefined)('the console', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world.close());

  const card = (page: Page, stage: string, title: string) =>
    page.getByRole('region', { name: stage, exact: true }).getByRole('listitem', { name: title });

  test('who may only read has no buttons to write with', async () => {
    const viewer = await memberWith(await adminOf(world.service, world.orgId), 'Viewer');
    const { page, faults, close } = await world.visit('t/svc_deal', {}, { email: viewer.email });
    await page.getByRole('link', { name: 'Starter plan' }).first().waitFor();
    expect(await page.getByRole('button', { name: /^New |^Edit |Edit amount/ }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Select Starter plan' }).first().check();
    const bar = page.getByRole('region', { name: '1 selected' });
    expect(await bar.getByRole('button').allInnerTexts()).toEqual(['']);
    await page.getByRole('link', { name: 'Board' }).click();
    await card(page, 'Qualification', 'Starter plan').waitFor();
    expect(await page.getByRole('button', { name: /^Move / }).count()).toBe(0);
    await card(page, 'Qualification', 'Starter plan').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Starter plan' }).waitFor();
    expect(await page.getByRole('button', { name: /Edit |^Add to|^Unlink|^Actions/ }).count()).toBe(0);
    expect(await page.getByLabel('Write a note').count()).toBe(0);
    expect(faults()).toEqual([]);
    await close();
  });

  test('who may see no type at all is told so', async () => {
    const admin = await adminOf(world.service, world.orgId);
    const fleeting = await make(admin, 'svc_object_type', { svc_name: 'fleeting', svc_label: 'Fleeting' });
    const role = await make(admin, 'svc_role', {
      svc_name: 'Nothing',
      svc_reach: 'org',
      svc_grants: ['fleeting:read'],
    });
    const member = await makeMember(admin, { svc_email: 'nobody@example.com' }, role.id);
    expect(member.id).not.toBe('');
    // The only type that they may see is deleted.
    expect((await admin.delete(`${recordsPath('svc_object_type')}${fleeting.id}/`)).status).toBe(200);
    const { page, faults, close } = await world.visit('', {}, { email: 'nobody@example.com' });
    await page.getByText('There is nothing here that you may see.').waitFor();
    expect(faults()).toEqual([]);
    await close();
  });

  test('what a role hides is nowhere, and what it locks has no editor', async () => {
    const admin = await adminOf(world.service, world.orgId);
    const role = await make(admin, 'svc_role', {
      svc_name: 'Without amounts',
      svc_reach: 'org',
      svc_grants: ['svc_deal:read,update;hide=svc_amount;lock=svc_name'],
    });
    await makeMember(admin, { svc_email: 'narrow@example.com' }, role.id);
    const { page, faults, close } = await world.visit('t/svc_deal', {}, { email: 'narrow@example.com' });
    await page.getByRole('link', { name: 'Starter plan' }).first().waitFor();
    expect(await page.getByText('Amount').count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Close date' }).waitFor();
    expect(await page.getByRole('menuitemcheckbox', { name: 'Amount' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Starter plan' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Starter plan' }).waitFor();
    await page.getByRole('button', { name: /Edit close date/ }).waitFor();
    expect(await page.getByRole('button', { name: /Edit (name|amount)/ }).count()).toBe(0);
    expect(await page.getByText(/amount/i).count()).toBe(0);
    expect(faults()).toEqual([]);
    await close();
  });

  test('a type or a record that is not there answers like one that is hidden', async () => {
    const { page, close } = await world.visit('t/no_such_type');
    await page.getByText('There is no such type, or you may not see it.').waitFor();
    await page.goto(`${world.service.url}/console/t/svc_deal/r/01890a5d-ac96-774b-bcce-b302099a8057`);
    await page.getByText('There is no such record, or you may not see it.').waitFor();
    await close();
  });

  test('while the service is slow there are bars; what it refuses is told with the request, and asked again', async () => {
    const { page, close } = await world.visit('account');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    let hold: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    let broken = true;
    await page.route('**/objects/svc_risk/records/query/', async (route) => {
      await held;
      if (!broken) return route.continue();
      return route.fulfill({
        status: 500,
        contentType: 'application/problem+json',
        headers: { 'request-id': 'req-of-this-test' },
        body: JSON.stringify({
          type: 'about:blank',
          title: 'Internal error',
          status: 500,
          detail: 'Something went wrong here.',
          code: 'internal_error',
          request_id: 'req-of-this-test',
        }),
      });
    });
    await page.goto(`${world.service.url}/console/t/svc_risk`);
    await page.locator('.bars').waitFor();
    hold?.();
    await page.getByText('Something went wrong here.').waitFor();
    await page.getByText('req-of-this-test').waitFor();
    broken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row').nth(1).waitFor();
    await close();
  });

  test('offline it says so, keeps what is shown, and catches up from where it was', async () => {
    const { page, close } = await world.visit('t/svc_deal/board');
    await card(page, 'Qualification', 'Instructor scheduling').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('Offline', { exact: true }).waitFor();
    const admin = await world.administrator();
    const [deal] = await admin.records('svc_deal').query({ search: 'instructor' }).toArray(1);
    const stages = await admin.records('svc_deal_pipeline_stage').query({}).toArray(50);
    const proposal = stages.find(({ properties }) => properties['svc_name'] === 'Proposal');
    await admin
      .records('svc_deal')
      .putAssociation(deal?.id ?? '', 'svc_deal_to_deal_pipeline_stage', proposal?.id ?? '');
    // A move that cannot be sent goes back, and says why.
    await card(page, 'Qualification', 'Lab inventory').getByRole('button', { name: 'Move Lab inventory' }).click();
    await page.getByRole('menuitem', { name: 'Proposal' }).click();
    await page.getByRole('alert').filter({ hasText: /.+/ }).first().waitFor();
    await card(page, 'Qualification', 'Lab inventory').waitFor();
    await page.context().setOffline(false);
    await card(page, 'Proposal', 'Instructor scheduling').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await close();
  });

  test('a feed that begins after the rows were read misses nothing', async () => {
    const { page, close } = await world.visit('account');
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    let isBroken = true;
    await page.route('**/rest/v1/changes/**', (route) => (isBroken ? route.abort() : route.continue()));
    await page.goto(`${world.service.url}/console/t/svc_deal?q=meter+exchange`);
    await page.getByRole('link', { name: 'Meter exchange' }).waitFor();
    const admin = await world.administrator();
    const [deal] = await admin.records('svc_deal').query({ search: 'meter exchange' }).toArray(1);
    await admin.records('svc_deal').update(deal?.id ?? '', { svc_name: 'Meter exchange, south' });
    isBroken = false;
    await page.getByRole('link', { name: 'Meter exchange, south' }).waitFor();
    await close();
  });

  test('a session that ends keeps what was typed, and goes on after signing in again', async () => {
    const admin = await adminOf(world.service, world.orgId);
    const { email } = await memberWith(admin, 'Administrator', { svc_name: 'Grace Hopper' });
    const password = 'correct horse battery';
    const token = await tokenFor(world.service, world.orgId, email, 'invitation');
    const { page, close } = await world.visit('account', {}, { email, token, password });
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    // The refusal of a request that waits for changes comes late: when somebody has signed in again.
    let release = () => {};
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/rest/v1/changes/**', async (route) => {
      const response = await route.fetch();
      if (response.status() === 401) await late;
      await route.fulfill({ response });
    });
    await page.goto(`${world.service.url}/console/t/svc_deal?q=starter`);
    await page.getByRole('link', { name: 'Starter plan' }).first().click();
    await page.getByLabel('Write a note').fill('Half a thought');
    // Elsewhere, the administrator ends all sessions of this person.
    const ended = await page.evaluate<number>(
      `fetch('/auth/bearer', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })
        .then((answer) => answer.json())
        .then(({ data }) => fetch('/auth/sign-out', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + data.bearer },
          body: '{}',
        }))
        .then((answer) => answer.status)`,
    );
    expect(ended).toBe(200);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Your session has ended.').first().waitFor();
    await page.getByRole('heading', { name: /^Sign in to/ }).waitFor();
    expect(await page.getByLabel('Write a note').inputValue()).toBe('Half a thought');
    await page.getByRole('dialog').getByLabel('Email').fill(email);
    await page.getByRole('dialog').getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const refused = page.waitForResponse((response) => response.status() === 401);
    release();
    await refused;
    await page.getByRole('button', { name: 'Save note' }).click();
    await page.getByRole('link', { name: 'Half a thought' }).waitFor();
    await close();
  });

  test('the page admits no script of others, no frame, and asks nobody else', async () => {
    const answer = await fetch(`${world.service.url}/console/t/svc_contact`);
    expect(answer.status).toBe(200);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await roleNamed(await adminOf(world.service, world.orgId), 'Viewer')).toBeDefined();
  });
});
