// The console in a real browser, in front of the real service with the demo org.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Client, createClient } from '../../../client/main.ts';
import { makeDemo } from '../../../demo/write/make-demo.ts';
import { adminGrant, fullGrant } from '../../../src/access/grant.ts';
import { startService, type TestService } from '../service.ts';
import { tokenFor } from '../sign-in/person.ts';
import { openPage, startBrowser } from './chromium.ts';

/** The administrator of the demo org. */
const maya = 'maya@orrery.example';

export class ConsoleWorld {
  readonly browser: Browser;
  readonly service: TestService;
  readonly orgId: number;

  private constructor(browser: Browser, service: TestService, orgId: number) {
    this.browser = browser;
    this.service = service;
    this.orgId = orgId;
  }

  static async open(): Promise<ConsoleWorld> {
    const [browser, service] = await Promise.all([startBrowser(), startService()]);
    const made = await makeDemo(service.database, Date.now(), async () => {});
    if (made === undefined) throw new Error('The demo was made before.');
    return new ConsoleWorld(browser, service, made.orgId);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.stop();
  }

  /** A program that may do everything in the org. */
  async administrator(): Promise<Client> {
    const { key } = await this.service.createKey(this.orgId, { grants: [fullGrant, adminGrant] });
    return createClient({ url: this.service.url, key });
  }

  /** Somebody who is signed in, at the page. `path` is below /console/. */
  async visit(path: string, options: BrowserContextOptions = {}, who: Who = {}): Promise<Visit> {
    const { url } = this.service;
    const { email = maya, token = await tokenFor(this.service, this.orgId, email), password } = who;
    const opened = await openPage(this.browser, url, { locale: 'en-GB', timezoneId: 'Europe/Lisbon', ...options });
    const answer = await opened.page.request.post(`${url}/auth/link`, {
      data: { token, ...(password === undefined ? {} : { password }) },
      headers: { origin: url },
    });
    expect(answer.status()).toBe(200);
    await opened.page.goto(`${url}/console/${path}`);
    const { page, close } = opened;
    const expected = new Set<number>();
    const offline = async (look: () => Promise<void>) => {
      await page.getByText('Live', { exact: true }).waitFor();
      const before = opened.faults.length;
      await page.context().setOffline(true);
      await page.getByText('Offline', { exact: true }).waitFor();
      await look();
      await page.context().setOffline(false);
      await page.getByText('Live', { exact: true }).waitFor();
      for (const [index, fault] of opened.faults.entries()) {
        if (index >= before && unreachable.test(fault)) expected.add(index);
      }
    };
    return { page, faults: () => opened.faults.filter((_, index) => !expected.has(index)), offline, close };
  }
}

/** Who visits, and the link and password with which they come. */
interface Who {
  readonly email?: string;
  readonly token?: string;
  readonly password?: string;
}

/** A request that fails without a network is an error in the browser's own list. */
const unreachable = /ERR_INTERNET_DISCONNECTED|^failed: .*\/rest\/v1\//;

interface Visit {
  readonly page: Page;
  readonly faults: () => readonly string[];
  /** Looks at the page while it has no network, and waits until it is live again. What fails meanwhile is no fault. */
  readonly offline: (look: () => Promise<void>) => Promise<void>;
  readonly close: () => Promise<void>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Axe's kinds of rules but those of colours, which take longer than all others together. */
export const allButColours = [
  'aria',
  'forms',
  'keyboard',
  'language',
  'name-role-value',
  'parsing',
  'semantics',
  'structure',
]
  .concat(['sensory-and-visual-cues', 'tables', 'text-alternatives', 'time-and-media'])
  .map((kind) => `cat.${kind}`);

/** By default all rules, and the whole page. */
export interface ChosenRules {
  readonly rules?: readonly string[];
  /** A selector of the part that is examined. */
  readonly within?: string;
}

/** What axe finds wrong with the page as it is. It is evaluated from outside: the policy of the page admits no foreign script. */
export async function violations(page: Page, { rules, within }: ChosenRules = {}): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  // Of what is in order, axe need not list every place.
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) });
  const part = within === undefined ? 'document' : JSON.stringify(within);
  return page.evaluate<readonly string[]>(
    `axe.run(${part}, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).slice(0, 3).join(' ')))`,
  );
}
