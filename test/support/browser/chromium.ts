// Debian's Chromium, driven by playwright-core. Every page is watched: an error or warning of the console, to which
// Chromium also writes what a page's policy forbids, a script that fails and a request to another host are kept as
// faults, whatever the test looks at. What runs in the page is text: its types are not those of this program.
import { accessSync, constants } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const named = process.env['CHROMIUM'];
const places =
  named === undefined ? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'] : [named];

/** The browser of this machine, or the one that CHROMIUM names; undefined if there is none. */
export const browserPath: string | undefined = places.find((path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

export function startBrowser(): Promise<Browser> {
  // Chromium has no sandbox for root; what it shows here is our own.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ ...(browserPath === undefined ? {} : { executablePath: browserPath }), args });
}

export interface WatchedPage {
  readonly page: Page;
  readonly faults: readonly string[];
  /** The addresses of all requests. */
  readonly requests: readonly URL[];
  readonly close: () => Promise<void>;
}

/** A page in a profile of its own, that may speak with the origin and with nobody else. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  const requests: URL[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('requestfailed', (request) => faults.push(`failed: ${request.url()}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    requests.push(url);
    if (url.origin !== origin && url.protocol !== 'data:') faults.push(`foreign request: ${request.url()}`);
  });
  return { page, faults, requests, close: () => context.close() };
}

/** How far the page could be scrolled sideways. */
export function overhang(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
