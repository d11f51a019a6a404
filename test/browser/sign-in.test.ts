// Signing in with a real browser: the stories of a person, and what a page of another site can do to one who is signed in.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withCommandEngine } from '../../src/engine/process/command-engine.ts';
import { setProvider } from '../../src/engine/sign-in/for-operator.ts';
import { browserPath, openPage, overhang, startBrowser } from '../support/browser/chromium.ts';
import type { Client } from '../support/client.ts';
import { administeredOrg } from '../support/platform/administrator.ts';
import { startService, type TestService } from '../support/service.ts';
import { memberWith, tokenFor } from '../support/sign-in/person.ts';
import { client, RealProvider } from '../support/sign-in/real-provider.ts';

const absent = browserPath === undefined;
const password = 'correct horse battery';

describe.skipIf(absent)('in Chromium', () => {
  let browser: Browser;
  let service: TestService;
  let orgId: number;
  let admin: Client;
  beforeAll(async () => {
    [browser, service] = await Promise.all([startBrowser(), startService()]);
    ({ orgId, admin } = await administeredOrg(service));
    await memberWith(admin, 'Administrator');
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const openLink = async (page: Page, email: string, kind: 'link' | 'invitation' = 'link') =>
    page.goto(`${service.url}/console/#link=${await tokenFor(service, orgId, email, kind)}`);
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  /** The console, which names who is signed in. */
  const seen = (page: Page, name: string) => page.getByRole('navigation').getByRole('button', { name });

  test('a person opens an invitation, chooses a password, sees who they are, signs out and in again', async () => {
    const member = await memberWith(admin, 'Viewer', { svc_name: 'Grace Hopper' });
    const { page, faults, close } = await openPage(browser, service.url);
    await openLink(page, member.email, 'invitation');
    await heading(page, 'Sign in to Test as Grace Hopper?').waitFor();
    // The token is gone from the address, and so from the history.
    expect(page.url()).toBe(`${service.url}/console/`);
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Sign in as Grace Hopper' }).click();
    await seen(page, 'Grace Hopper').click();
    await page.getByRole('menuitem', { name: 'Account' }).click();
    await heading(page, 'Account').waitFor();
    await page.getByRole('heading', { level: 2, name: 'Grace Hopper' }).waitFor();
    await page.getByText('Viewer', { exact: true }).waitFor();
    await page.getByText('This one').waitFor();
    // Another load of the page finds the session by its cookie, which no script sees. What a browser keeps is no secret.
    await page.reload();
    await heading(page, 'Account').waitFor();
    expect(
      await page.evaluate<string>('document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)'),
    ).toMatch(/^\{("orrery-first-steps-\d+":"[a-z,]*")?\}\{\}$/);
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in to Test').waitFor();
    await page.getByLabel('Email').fill(member.email);
    await page.getByLabel('Password').fill('wrong horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').filter({ hasText: 'do not belong together' }).waitFor();
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await seen(page, 'Grace Hopper').waitFor();
    // The browser reports the refusal itself, and the feed that is left when the person goes on.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    await close();
  });

  test('a link that was used says so, and one for somebody else asks first', async () => {
    const [first, second] = [
      await memberWith(admin, 'Viewer', { svc_name: 'Ada' }),
      await memberWith(admin, 'Viewer', { svc_name: 'Eve' }),
    ];
    const { page, close } = await openPage(browser, service.url);
    const token = await tokenFor(service, orgId, first.email);
    await page.goto(`${service.url}/console/#link=${token}`);
    await page.getByRole('button', { name: 'Sign in as Ada' }).click();
    await seen(page, 'Ada').waitFor();
    await page.goto(`${service.url}/console/?again#link=${token}`);
    await page.getByRole('alert').filter({ hasText: 'This link is not valid' }).waitFor();
    await openLink(page, second.email);
    await page.getByText('You are signed in as Ada').waitFor();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await seen(page, 'Ada').waitFor();
    await openLink(page, second.email);
    await page.getByRole('button', { name: 'Sign in as Eve' }).click();
    await seen(page, 'Eve').waitFor();
    await close();
  });

  test('a person goes to the provider and comes back signed in; somebody who is unknown is told so', async () => {
    const provider = await RealProvider.start(service.url);
    try {
      const facts = { issuer: provider.issuer, clientId: client.id, clientSecret: client.secret };
      const named = { ...facts, provisionRole: null, emailDomains: [] };
      await withCommandEngine(service.database, (engine) => setProvider(engine, orgId, named));
      const member = await memberWith(admin, 'Member', { svc_name: 'Katherine' });
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${service.url}/console/`);
      provider.account = { sub: 'unknown', email: 'unknown@example.com', email_verified: true };
      await page.getByRole('link', { name: `Continue with ${new URL(provider.issuer).host}` }).click();
      await page.getByRole('alert').filter({ hasText: 'Nobody in this org has this account' }).waitFor();
      await context.clearCookies();
      provider.account = { sub: 'katherine', email: member.email, email_verified: true };
      await page.getByRole('link', { name: 'Continue with' }).click();
      await seen(page, 'Katherine').waitFor();
      await context.close();
    } finally {
      await provider.close();
    }
  });

  test('the page fits a phone and has no horizontal bar', async () => {
    const { page, faults, close } = await openPage(browser, service.url, { viewport: { width: 360, height: 640 } });
    await page.goto(`${service.url}/console/?org=${orgId}`);
    await page.getByLabel('Email').waitFor();
    expect(await overhang(page)).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  describe('a page of another origin', () => {
    let elsewhere: Server;
    beforeAll(async () => {
      elsewhere = createServer((_, response) => {
        response.setHeader('content-type', 'text/html');
        response.end('<!doctype html><title>Elsewhere</title>');
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => new Promise<void>((resolve) => elsewhere.close(() => resolve())));

    // The first is the same site, so that cookies come along; the second is another site.
    test.each(['127.0.0.1', 'localhost'])(
      'at %s neither signs a person in or out, nor reads anything',
      async (host) => {
        const member = await memberWith(admin, 'Viewer', { svc_name: 'Ada' });
        const attacker = await memberWith(admin, 'Viewer', { svc_name: 'Eve' });
        const context = await browser.newContext();
        const page = await context.newPage();
        await openLink(page, member.email);
        await page.getByRole('button', { name: 'Sign in as Ada' }).click();
        await seen(page, 'Ada').waitFor();
        const { port } = elsewhere.address() as AddressInfo;
        await page.goto(`http://${host}:${port}/`);
        const token = await tokenFor(service, orgId, attacker.email);
        const posted = await page.evaluate<readonly string[]>(`(async () => {
        const outcomes = [];
        for (const [path, body] of ${JSON.stringify([
          ['bearer', {}],
          ['sign-out', {}],
          ['link', { token, replace: true }],
        ])}) {
          for (const mode of ['cors', 'no-cors']) {
            for (const type of ['application/json', 'text/plain']) {
              const sent = { method: 'POST', mode, credentials: 'include', headers: { 'content-type': type }, body: JSON.stringify(body) };
              const answer = await fetch('${service.url}/auth/' + path, sent).catch(() => undefined);
              outcomes.push(answer === undefined ? 'blocked' : answer.type + ' ' + answer.status);
            }
          }
        }
        return outcomes;
      })()`);
        // An answer that cannot be read is opaque.
        expect(posted.every((outcome) => outcome === 'blocked' || outcome === 'opaque 0')).toBe(true);
        // A form is sent without asking first, and its answer replaces the page.
        await page.evaluate(`(() => {
        const form = document.createElement('form');
        form.method = 'post';
        form.enctype = 'text/plain';
        form.action = '${service.url}/auth/link';
        const field = document.createElement('input');
        field.name = '{"token":"${token}","replace":true,"password":"';
        field.value = '"}';
        form.append(field);
        document.body.append(form);
        form.submit();
      })()`);
        await page.waitForURL(`${service.url}/auth/link`);
        await page.goto(`${service.url}/console/`);
        await seen(page, 'Ada').waitFor();
        await context.close();
      },
    );

    test('does not get the console into a frame', async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const { port } = elsewhere.address() as AddressInfo;
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.evaluate(`(() => {
        const frame = document.createElement('iframe');
        frame.src = '${service.url}/console/';
        document.body.append(frame);
        return new Promise((resolve) => frame.addEventListener('load', resolve));
      })()`);
      const [, frame] = page.frames();
      expect(await frame?.locator('#app').count()).toBe(0);
      await context.close();
    });
  });
});
