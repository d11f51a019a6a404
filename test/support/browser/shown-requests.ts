// What "Show request" shows: its curl lines are taken apart, so that a test can send the same.
import type { Page } from 'playwright-core';

interface Shown {
  readonly title: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Opens the requests, reads them, and closes them again. */
export async function shownRequests(page: Page, button = page.getByRole('button', { name: 'Show request' })) {
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Request' });
  const text = await dialog.locator('pre').innerText();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  return readShown(text);
}

function readShown(text: string): readonly Shown[] {
  const requests = text.matchAll(
    /(?:^# (?<title>.+)\n)?^curl(?: -X (?<method>\w+))? '(?<url>[^']+)' \\\n.*KEY"(?: \\\n.*Content-Type.* \\\n {2}-d '(?<body>(?:[^']|'\\'')*)')?/gm,
  );
  return [...requests].map(({ groups = {} }) => {
    const { title, method = 'GET', url = '', body } = groups;
    const json = body?.replaceAll("'\\''", "'");
    return { title, method, path: new URL(url).pathname, body: json === undefined ? undefined : JSON.parse(json) };
  });
}

/** Sends it, and returns the data of the answer. */
export async function sendShown(key: string, url: string, { method, path, body }: Shown): Promise<readonly Group[]> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { readonly data: readonly Group[] }).data;
}

interface Group {
  readonly key: readonly unknown[];
  readonly values: Readonly<Record<string, unknown>>;
}
