// The system's Chromium, driven by playwright-core. Every page is watched, whatever the test checks: errors and warnings in
// the console, which include violations of the page's policy, failed scripts, and requests to other hosts are kept as
// faults. Code that runs in the page is text, because its types are not those of this program.
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
  // Chromium has no sandbox for root; it shows only our own pages here.
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

/** A page in its own profile, which may only contact the origin. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  // Machines are shared: the bound ends a test that would hang, and promises nothing.
  page.setDefaultTimeout(120_000);
  const faults: string[] = [];
  const requests: URL[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('requestfailed', (request) => {
    // What a page no longer wants, because somebody types on or has left it, is no finding.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') faults.push(`failed: ${request.url()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    requests.push(url);
    if (url.origin !== origin && url.protocol !== 'data:') faults.push(`foreign request: ${request.url()}`);
  });
  const close = async () => {
    // A page may be closed while a request that a test holds back is under way; what becomes of it is no finding.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  };
  return { page, faults, requests, close };
}

/** How far the page could be scrolled sideways. */
export function overhang(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
