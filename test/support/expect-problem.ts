// Checks that hold for every problem (contract 8, RFC 9457) and for every report of a rate limit (contract 9).
import { expect } from 'vitest';
import type { Answer } from './answer.ts';

/** Contract 8, written out. */
export const statuses: Readonly<Record<string, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
  timeout: 504,
};

const pages = new Map<string, Promise<{ readonly status: number; readonly text: string }>>();

/** The answer is this problem, complete, and its type is the address of a section that is really served. */
export async function expectProblem(answer: Answer, code: string, reason?: string): Promise<void> {
  const { body, headers } = answer;
  expect(answer.status, answer.text).toBe(statuses[code]);
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const members = Object.keys(body).filter((name) => !['reason', 'errors', 'conflict'].includes(name));
  expect(members.sort()).toEqual(['code', 'detail', 'request_id', 'status', 'title', 'type']);
  expect(body).toMatchObject({ code, status: answer.status, request_id: headers.get('svc-request-id') });
  if (reason !== undefined) expect(body.reason).toBe(reason);
  // One error is a sentence; several are a sentence and their number in brackets.
  expect(body.detail).toMatch(/^\S.*\.\)?$/s);
  const [address = '', anchor = ''] = body.type?.split('#') ?? [];
  const page = pages.get(address) ?? fetchPage(address);
  pages.set(address, page);
  const { status, text } = await page;
  expect(status, address).toBe(200);
  expect(anchor).toBe(code);
  expect(text).toContain(`id="${anchor}"`);
}

async function fetchPage(address: string): Promise<{ status: number; text: string }> {
  const response = await fetch(address, { redirect: 'manual' });
  return { status: response.status, text: await response.text() };
}

/** A rate limit field as RFC 9651 reads it: one string with integer parameters. */
export function limitOf({ headers }: Answer, field: 'ratelimit' | 'ratelimit-policy') {
  const match = /^"([\x20-\x21\x23-\x5b\x5d-\x7e]+)"((?:; *[a-z*][a-z0-9_.*-]*=-?\d{1,15})*)$/.exec(
    headers.get(field) ?? '',
  );
  expect(match, `${field}: ${headers.get(field)}`).not.toBeNull();
  const parameters = (match?.[2] ?? '').split(';').slice(1);
  const named = parameters.map((each) => [each.trim().split('=')[0], Number(each.split('=')[1])] as const);
  return { name: match?.[1], ...(Object.fromEntries(named) as { q?: number; w?: number; r?: number; t?: number }) };
}
