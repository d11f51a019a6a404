// The console in a real browser, in front of the real service with the demo org.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Client, createClient } from '../../../client/main.ts';
import { makeDemo } from '../../../demo/write/make-demo.ts';
import { adminGrant, fullGrant } from '../../../src/access/grant.ts';
import { startService, type TestService } from '../service.ts';
import { tokenFor } from '../sign-in/person.ts';
import { openPage, startBrowser, type WatchedPage } from './chromium.ts';

/** The administrator of the demo org. */
const maya = 'maya@orrery.example';

export class ConsoleWorld {
  readonly browser: Browser;
  readonly service: TestService;
  readonly orgId: number;
  /** The administrator's, while no test uses it. */
  #kept: WatchedPage | undefined;

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

  /**
   * Somebody who is signed in, at the page. `path` is below /console/. Visits of the administrator one after the other share a
   * profile, from which each takes away what it has stored: signing in and filling a cache took as long as many a test.
   */
  async visit(path: string, options: BrowserContextOptions = {}, who: Who = {}): Promise<Visit> {
    const isUsual = Object.keys(who).length === 0 && Object.keys(options).every((name) => usualOptions.has(name));
    const kept = isUsual ? this.#kept : undefined;
    if (kept !== undefined) this.#kept = undefined;
    const opened = kept ?? (await this.#signIn(options, who));
    if (kept !== undefined) {
      const { reducedMotion = null, viewport = usualViewport } = options;
      await kept.page.emulateMedia({ reducedMotion, colorScheme: null });
      await kept.page.setViewportSize(viewport ?? usualViewport);
    }
    const begun = opened.faults.length;
    await opened.page.goto(`${this.service.url}/console/${path}`);
    const { page } = opened;
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
    const faults = () => opened.faults.filter((_, index) => index >= begun && !expected.has(index));
    const close = async () => {
      if (!isUsual || this.#kept !== undefined) return opened.close();
      this.#kept = opened;
      await this.#forget(page);
    };
    return { page, faults, offline, close };
  }

  async #signIn(options: BrowserContextOptions, { email = maya, token, password }: Who): Promise<WatchedPage> {
    const { url } = this.service;
    const opened = await openPage(this.browser, url, { locale: 'en-GB', timezoneId: 'Europe/Lisbon', ...options });
    const answer = await opened.page.request.post(`${url}/auth/link`, {
      data: {
        token: token ?? (await tokenFor(this.service, this.orgId, email)),
        ...(password === undefined ? {} : { password }),
      },
      headers: { origin: url },
    });
    expect(answer.status()).toBe(200);
    return opened;
  }

  /** Leaves the console, and takes away what it has stored but the session. */
  async #forget(page: Page): Promise<void> {
    const context = page.context();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    for (const other of context.pages()) if (other !== page) await other.close();
    await context.setOffline(false);
    // A page of the same origin that does nothing.
    await page.goto(`${this.service.url}/favicon.ico`);
    await page.evaluate(`(async () => {
      localStorage.clear();
      sessionStorage.clear();
      for (const { name } of await indexedDB.databases())
        await new Promise((resolve, reject) =>
          Object.assign(indexedDB.deleteDatabase(name), { onsuccess: resolve, onerror: reject, onblocked: reject }));
    })()`);
  }
}

const usualViewport = { width: 1_280, height: 720 };

/** What a page can change that is open. */
const usualOptions = new Set(['reducedMotion', 'viewport']);

/** Who visits, and the link and password with which they come. */
interface Who {
  /** A profile in which nobody was before, and nobody will be. */
  readonly isAlone?: true;
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
