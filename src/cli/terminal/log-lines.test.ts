// The log on a terminal: one line for each event, and the stack of an error below it.
import { expect, test } from 'vitest';
import { openLog } from '../../http/log.ts';
import { readableLines } from './log-lines.ts';

function openTestLog(level = 'info') {
  let text = '';
  const log = openLog(level, readableLines({ write: (part) => (text += part) }));
  return { log, printed: () => text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME') };
}

const request = {
  requestId: '0190a0e2',
  method: 'GET',
  route: '/rest/v1/self/',
  status: 401,
  ms: 1.5,
  orgId: undefined,
  credentialId: undefined,
  address: '127.0.0.1',
  refusal: { code: 'unauthenticated', reason: 'key_missing' },
} as const;

test('an event is its time, its level, what happened and its facts', () => {
  const { log, printed } = openTestLog();
  log.info({ url: 'http://127.0.0.1:4610', workers: 2, place: '/data/my crm' }, 'serving');
  log.request(request);
  log.warn({ request_id: 'a', detail: '\u001b[31m\nred' }, 'request refused');
  log.debug('unseen');
  expect(printed().split('\n')).toEqual([
    'TIME info  serving url=http://127.0.0.1:4610 workers=2 place="/data/my crm"',
    'TIME info  GET /rest/v1/self/ 401 in 1.5 ms request_id=0190a0e2 code=unauthenticated reason=key_missing address=127.0.0.1',
    'TIME warn  request refused request_id=a detail="\\u001b[31m\\nred"',
    '',
  ]);
});

test('below an error is its stack, and that of its cause', () => {
  const { log, printed } = openTestLog();
  const cause = new Error('the disk\u001b[2J is full');
  log.error({ err: new Error('not stored', { cause }) }, 'request failed');
  const lines = printed().split('\n');
  expect(lines[0]).toBe('TIME error request failed');
  expect(lines[1]).toContain('Error: not stored');
  expect(lines[2]).toMatch(/^ {6}at .*log-lines\.test\.ts/);
  expect(lines).toContain('  caused by');
  expect(lines).toContain('  Error: the disk\ufffd[2J is full');
});
