// The settings in a real browser, as an administrator uses them: colleagues, roles, keys, what was done, and what was deleted.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../client/main.ts';
import { asJob } from '../../../src/engine/admin/jobs.ts';
import { withCommandEngine } from '../../../src/engine/process/command-engine.ts';
import { browserPath, overhang } from '../../support/browser/chromium.ts';
import { ConsoleWorld } from '../../support/browser/console-world.ts';
import { shownRequests } from '../../support/browser/shown-requests.ts';
import { expectReadable } from '../../support/browser/violations.ts';
import { ImportFolder } from '../../support/import/driver.ts';
import { administeredOrg, makeMember, roleNamed } from '../../support/platform/administrator.ts';
import { tokenFor } from '../../support/sign-in/person.ts';

/** A refusal that the test asks for is an error in the browser's own list. */
function surprising(faults: readonly string[]): readonly string[] {
  return faults.filter((fault) => !/responded with a status of 4(09|22)/.test(fault));
}

describe.skipIf(browserPath === undefined)('the settings of access and operation', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await ConsoleWorld.open();
  });
  afterAll(() => world.close());

  const choose = async (page: Page, title: string | RegExp, action: string) => {
    await page
      .getByRole('button', { name: typeof title === 'string' ? `Actions for ${title}` : title })
      .first()
      .click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const textIn = (dialog: Locator, label: string) => dialog.getByLabel(label, { exact: true }).inputValue();

  test('a colleague is added, comes in by the link, sees the settings of a member, and leaves', async () => {
    const { page, faults, close } = await world.visit('settings/members');
    await page.getByRole('button', { name: 'Add a colleague' }).click();
    const form = page.getByRole('dialog', { name: 'Add a colleague' });
    await form.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await form.getByLabel(/^Email/).fill('maya@orrery.example');
    await form.getByRole('button', { name: 'Add and make a link' }).click();
    // The address is taken: the words stand at the field, and what was typed is still there.
    await form.getByRole('alert').first().waitFor();
    expect(await textIn(form, 'Name')).toBe('Grace Hopper');
    await form.getByLabel(/^Email/).fill('grace@orrery.example');
    await form.getByRole('button', { name: 'Add and make a link' }).click();
    const invitation = page.getByRole('dialog', { name: 'Sign-in link for Grace Hopper' });
    const token = (await textIn(invitation, 'Sign-in link')).split('#link=')[1] ?? '';
    await invitation.getByRole('button', { name: 'Close' }).last().click();
    const row = page.getByRole('row', { name: /Grace Hopper/ });
    await row.getByText('Member', { exact: true }).waitFor();
    const grace = await world.visit('settings', {}, { token, password: 'a long password of mine' });
    const navigation = grace.page.getByRole('navigation', { name: 'Settings' });
    await grace.page.getByRole('heading', { level: 1, name: 'Pipelines' }).waitFor();
    expect(await navigation.getByRole('link').allInnerTexts()).toEqual([
      'Pipelines',
      'Members',
      'Views',
      'Trash',
      'Org',
    ]);
    await navigation.getByRole('link', { name: 'Members' }).click();
    await grace.page.getByRole('row', { name: /Grace Hopper/ }).waitFor();
    expect(await grace.page.getByRole('button', { name: /^Add a colleague|^Actions for/ }).count()).toBe(0);
    expect(await grace.page.getByText('maya@orrery.example').count()).toBe(0);
    await grace.page.goto(`${world.service.url}/console/settings/keys`);
    await grace.page.getByText('There is no such page in the settings').waitFor();
    await grace.close();
    await choose(page, 'Grace Hopper', 'Deactivate');
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await row.getByText('Not active').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await row.getByText('Not active').waitFor({ state: 'detached' });
    expect(surprising([...faults(), ...grace.faults()])).toEqual([]);
    await close();
  });

  test('the last administrator, and a role that members have, are said to stay before the click', async () => {
    const { page, faults, close } = await world.visit('settings/members');
    await choose(page, 'Maya Ferreira-Holt', 'Deactivate');
    const dialog = page.getByRole('dialog', { name: 'Deactivate Maya Ferreira-Holt?' });
    await dialog.getByText('This is the last active member with the role Administrator.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Deactivate' }).count()).toBe(0);
    // The way there: somebody else becomes an administrator.
    await dialog.getByRole('button', { name: 'Add a colleague' }).waitFor();
    await dialog
      .getByRole('button', { name: /^Change the role of / })
      .first()
      .click();
    await page
      .getByRole('dialog', { name: /^Edit / })
      .getByRole('radio', { name: /^Administrator/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await choose(page, 'Maya Ferreira-Holt', 'Edit');
    const form = page.getByRole('dialog', { name: 'Edit Maya Ferreira-Holt' });
    await form.getByRole('radio', { name: /^Member/ }).check();
    await form.getByText('This is the last active member with the role Administrator.').waitFor();
    await form.getByRole('button', { name: 'Add a colleague' }).waitFor();
    await form.getByRole('radio', { name: /^Administrator/ }).check();
    await form.getByText('This is the last active member').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Roles' }).click();
    await choose(page, 'Member', 'Delete');
    await page.getByText('A member has this role.').waitFor();
    await page.getByRole('link', { name: 'Show the members' }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    // What is built in is shown, and nothing of it can be ticked.
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Roles' }).click();
    await page.getByRole('link', { name: 'Administrator' }).click();
    await page.getByText('This role is built in').waitFor();
    expect(await page.getByRole('checkbox', { name: 'Read all types' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(surprising(faults())).toEqual([]);
    await close();
  });

  test('a key is ticked together, shown as it will see, made, and its secret works once it is copied', async () => {
    const { page, faults, close } = await world.visit('settings/keys');
    await page.getByRole('link', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('newsletter-sync');
    await page.getByRole('checkbox', { name: 'Update contacts' }).check();
    // Reading is included, and a type that cannot be deleted has no box.
    expect(await page.getByRole('checkbox', { name: 'Read contacts' }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Read contacts' }).isDisabled()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Delete meetings' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Read companies' }).check();
    await page.getByRole('button', { name: 'Properties of contacts: all' }).click();
    await page.getByRole('group', { name: 'Email' }).getByRole('button', { name: 'Lock' }).click();
    await page.getByRole('group', { name: 'Phone number' }).getByRole('button', { name: 'Hide' }).click();
    await page.getByText('1 hidden, 1 locked').waitFor();
    const shown = (await shownRequests(page)).at(-1);
    expect(shown).toMatchObject({ method: 'POST', path: '/rest/v1/objects/svc_access_key/records/' });
    expect(JSON.stringify(shown?.body)).toContain('newsletter-sync');
    await page.getByText('reads and updates them; cannot change Email').waitFor();
    await page.getByText('Contact: Phone number.').waitFor();
    await page.getByText('"svc_email"').waitFor();
    expect(await page.getByText('"svc_phone_number"').count()).toBe(0);
    await page.getByRole('button', { name: 'Make key' }).click();
    const dialog = page.getByRole('dialog', { name: 'The secret of newsletter-sync' });
    const key = await textIn(dialog, 'Secret');
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('row', { name: /newsletter-sync/ }).waitFor();
    expect(await page.content()).not.toContain(key);
    const client = createClient({ url: world.service.url, key });
    const { data } = await client.getObjectType('svc_contact');
    expect(data.properties.find(({ name }) => name === 'svc_email')?.read_only).toBe(true);
    expect(data.properties.some(({ name }) => name === 'svc_phone_number')).toBe(false);
    // What is stored is shown again as it was ticked.
    await page.getByRole('link', { name: 'newsletter-sync' }).click();
    await page.getByRole('button', { name: 'Properties of contacts: 1 hidden, 1 locked' }).waitFor();
    await page.getByRole('link', { name: 'Access keys' }).first().click();
    await choose(page, 'newsletter-sync', 'New secret');
    await page.getByRole('radio', { name: 'At once' }).check();
    await page.getByRole('button', { name: 'New secret' }).click();
    const next = await textIn(page.getByRole('dialog', { name: 'The secret of newsletter-sync' }), 'Secret');
    expect(next).not.toBe(key);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await choose(page, 'newsletter-sync', 'Revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('row', { name: /newsletter-sync/ }).waitFor({ state: 'detached' });
    await expect(createClient({ url: world.service.url, key: next, attempts: 1 }).getSelf()).rejects.toThrow(/revoked/);
    expect(faults()).toEqual([]);
    await close();
  });

  test('a role is made from all types and less, and Undo from the audit takes it back', async () => {
    const { page, faults, close } = await world.visit('settings/roles/new');
    await page.getByLabel('Name', { exact: true }).fill('Support');
    await page.getByRole('checkbox', { name: 'Read all types' }).check();
    expect(await page.getByRole('checkbox', { name: 'Read deals' }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'Create notes' }).check();
    await page.getByRole('button', { name: 'Make role' }).click();
    await page.getByRole('row', { name: /Support/ }).waitFor();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('combobox', { name: 'What' }).selectOption({ label: 'Roles' });
    await page.getByRole('combobox', { name: 'Who' }).selectOption({ label: 'Maya Ferreira-Holt' });
    await page.getByRole('row', { name: /Role made Maya Ferreira-Holt Support/ }).waitFor();
    expect(page.url()).toContain('area=role');
    await choose(page, /^Actions for Role made/, 'Undo');
    await page.getByText('One record goes back to what it was before.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('row', { name: /Role deleted/ }).waitFor();
    await page.goto(`${world.service.url}/console/settings/trash?type=svc_role`);
    await page.getByRole('button', { name: 'Restore Support' }).click();
    await page.getByText('Support restored').waitFor();
    await page.getByRole('button', { name: 'Restore Support' }).waitFor({ state: 'detached' });
    expect(faults()).toEqual([]);
    await close();
  });

  test('what is restored leaves the trash at once, and its button stays disabled until then', async () => {
    const companies = (await world.administrator()).records('svc_company');
    for (const svc_name of ['Trashed One', 'Trashed Two']) {
      await companies.delete((await companies.create({ svc_name })).data.id);
    }
    const { page, faults, close } = await world.visit('settings/trash?type=svc_company');
    const button = (name: string) => page.getByRole('button', { name: `Restore ${name}` });
    await Promise.all([button('Trashed One').waitFor(), button('Trashed Two').waitFor()]);
    const held: (() => void)[] = [];
    await page.route('**/rest/v1/batch/', async (route) => {
      await new Promise<void>((pass) => held.push(pass));
      await route.continue();
    });
    // The feed is not waited for.
    await page.route('**/rest/v1/changes/**', () => {});
    await button('Trashed One').click();
    await button('Trashed Two').click();
    await expect.poll(() => held.length).toBe(2);
    expect([await button('Trashed One').isDisabled(), await button('Trashed Two').isDisabled()]).toEqual([true, true]);
    held[0]?.();
    await button('Trashed One').waitFor({ state: 'detached' });
    expect(await button('Trashed Two').isDisabled()).toBe(true);
    held[1]?.();
    await button('Trashed Two').waitFor({ state: 'detached' });
    expect(faults()).toEqual([]);
    await close();
  });

  test('jobs and views are listed, filtered, and empty in words; the org says how it is changed', async () => {
    const admin = await world.administrator();
    await admin.records('svc_view').create({
      svc_name: 'Renewals this quarter',
      svc_view_kind: 'table',
      svc_object_type: 'svc_deal',
    });
    const { page, faults, offline, close } = await world.visit('settings/views');
    await page.getByRole('row', { name: /Renewals this quarter Table Deals/ }).waitFor();
    await choose(page, 'Renewals this quarter', 'Delete');
    await page.getByText('No saved views yet.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await page.getByRole('row', { name: /Renewals this quarter/ }).waitFor();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('combobox', { name: 'State' }).selectOption({ label: 'Failed' });
    await page.getByText('Nothing matches these filters.').waitFor();
    await runJobs();
    await page.getByRole('row', { name: /^Export Failed .*It failed\. Ask the operator of the service\./ }).waitFor();
    expect(await page.getByRole('row', { name: /^Import/ }).count()).toBe(0);
    await page.getByRole('combobox', { name: 'State' }).selectOption({ label: 'Done' });
    await page.getByRole('row', { name: /^Import Done 2 of 2/ }).waitFor();
    expect(await page.getByRole('row', { name: /^Export/ }).count()).toBe(0);
    // What is shown stays.
    await offline(() => page.getByRole('row', { name: /^Import Done/ }).waitFor());
    const imported = async () => (await admin.records('svc_company').query({ search: 'Jobsite' }).toArray(5)).length;
    expect(await imported()).toBe(2);
    await choose(page, /^Actions for Import/, 'Undo import');
    const undo = page.getByRole('dialog');
    await expect.poll(() => undo.innerText()).toContain('2 records go back');
    await undo.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(imported).toBe(0);
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Org' }).click();
    await page.getByText('6,000 in 60 seconds').waitFor();
    expect(await page.getByLabel('Its name').inputValue()).toBe(`orrery org update ${world.orgId} --name "NAME"`);
    expect(surprising(faults())).toEqual([]);
    await close();
  });

  /** An import that is done, and an export that fails. */
  const runJobs = async () => {
    const folder = await ImportFolder.make();
    const rows = 'Name\nJobsite One\nJobsite Two\n';
    const { result } = await folder.run(world.service, world.orgId, 'svc_company', rows);
    await folder.remove();
    expect(result).toMatchObject({ created: 2 });
    const failing = withCommandEngine(world.service.database, (engine) =>
      asJob(
        engine,
        { orgId: world.orgId, kind: 'export' },
        () => Promise.reject(new Error('No space is left.')),
        () => ({}),
      ),
    );
    await expect(failing).rejects.toThrow('No space is left.');
  };

  test('a new org leads through its first steps, which are gone when they are done or skipped', async () => {
    const { orgId, admin } = await administeredOrg(world.service);
    const email = 'ada@new.example';
    await makeMember(
      admin,
      { svc_email: email, svc_name: 'Ada Lovelace' },
      (await roleNamed(admin, 'Administrator')).id,
    );
    const token = await tokenFor(world.service, orgId, email);
    const { page, faults, close } = await world.visit('', {}, { token });
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    const steps = page.locator('.start-steps').getByRole('heading', { level: 2 });
    // The key that made the member is one already.
    expect(await steps.allInnerTexts()).toEqual([
      'Add a first contact',
      'Add a first deal',
      'Bring in what you have',
      'Invite a colleague',
    ]);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await expectReadable(page, 'first steps');
    for (const width of [360, 2_560, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overhang(page), `${width} pixels`).toBe(0);
    }
    await page.getByRole('link', { name: 'Add contact' }).click();
    await page
      .getByRole('dialog', { name: 'New contact' })
      .getByLabel(/^Last name/)
      .fill('Hopper');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Hopper' }).waitFor();
    await page.getByRole('link', { name: /^First steps/ }).click();
    await expect.poll(() => steps.first().innerText()).toBe('Add a first deal');
    await page.getByRole('link', { name: 'Import contacts' }).click();
    await page
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'one.csv', mimeType: 'text/csv', buffer: Buffer.from('Last name\nLovelace\n') });
    await page.getByRole('button', { name: 'Check all rows' }).click();
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByRole('heading', { level: 2, name: 'Imported' }).waitFor();
    await page.getByRole('link', { name: /^First steps/ }).click();
    await expect.poll(() => steps.allInnerTexts()).toEqual(['Add a first deal', 'Invite a colleague']);
    for (const left of [1, 0]) {
      await page
        .getByRole('button', { name: /^Skip: / })
        .first()
        .click();
      await expect.poll(() => steps.count()).toBe(left);
    }
    await page.getByText('Your org is ready.').waitFor();
    expect(await page.getByRole('link', { name: /^First steps/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(faults()).toEqual([]);
    await close();
  });
});
