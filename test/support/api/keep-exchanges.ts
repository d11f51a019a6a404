// Keeps what the tests of the API ask and what they are answered, one line of JSON each, in the folder that TEST_EXCHANGES
// names: `npm run interop` lets a validating proxy look at it all. A setup file, used only if the variable is set.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const folder = process.env['TEST_EXCHANGES'] ?? '';
const plain = globalThis.fetch;
const mark = Symbol.for('orrery.keeps-exchanges');

// It is loaded again for each file of tests.
if (!(mark in plain)) {
  mkdirSync(folder, { recursive: true });
  const keeping: typeof fetch = async (input, init) => {
    const response = await plain(input, init);
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const isApi = expect.getState().testPath?.includes('/test/api/') === true && pathname.startsWith('/rest/v1/');
    if (isApi) keep({ path: `${pathname}${search}`, init, response, text: await response.clone().text() });
    return response;
  };
  globalThis.fetch = Object.assign(keeping, { [mark]: true });
}

interface Exchange {
  readonly path: string;
  readonly init: RequestInit | undefined;
  readonly response: Response;
  readonly text: string;
}

function keep({ path, init, response, text }: Exchange): void {
  const { method = 'GET', headers, body } = init ?? {};
  const asked = { method, path, headers: [...new Headers(headers)], body };
  const answered = { status: response.status, headers: [...response.headers], body: text };
  appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify({ asked, answered })}\n`);
}
