// Parses the values of flags and arguments. A wrong value is a usage failure that shows a correct one.

import { isCurrencyCode } from '../../../client/import/cells/amount-cell.ts';
import { type Grant, parseGrant } from '../../access/grant.ts';
import { parseRate } from '../../access/rate-limit.ts';
import { Failure } from '../../base/failure.ts';
import { isStorable } from '../../base/json.ts';

export function parseOrgId(text: string | undefined, what = '--org'): number {
  if (text !== undefined && /^[1-9][0-9]{0,9}$/.test(text) && Number(text) <= 2_147_483_647) return Number(text);
  throw usage(`${what} must be the number of an org; got ${quote(text)}.`, 'See "orrery org list".');
}

export function parseName(text: string | undefined, what: string): string {
  const name = text?.trim() ?? '';
  if (name !== '' && name.length <= 200 && isStorable(name)) return name;
  throw usage(`${what} must have 1 to 200 characters.`, 'Put it in quotes if it contains spaces.');
}

export function parseCurrency(text: string): string {
  if (isCurrencyCode(text)) return text;
  throw usage(`--currency must be an upper-case ISO 4217 code; got ${quote(text)}.`, 'For example: --currency EUR.');
}

export function parseRateLimit(text: string): { quota: number; windowSeconds: number } {
  const rate = parseRate(text);
  if (rate !== undefined) return rate;
  throw usage(
    `--rate-limit must be REQUESTS/SECONDS; got ${quote(text)}.`,
    'For example: --rate-limit 6000/60, which is 6,000 requests in 60 seconds.',
  );
}

const byteUnits: Readonly<Record<string, number>> = { '': 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** `500MB` or `10GB`, in powers of 1,000, or a number of bytes; null for `none`. */
export function parseStorageQuota(text: string): number | null {
  if (text === 'none') return null;
  const match = /^([0-9]{1,15}|[0-9]{1,12}\.[0-9]{1,3}(?=[kmgt]))(|kb|mb|gb|tb)$/i.exec(text);
  // With at most three digits after the point it is a whole number of bytes, but for what multiplying fractions adds.
  const bytes = Math.round(Number(match?.[1]) * (byteUnits[match?.[2]?.toLowerCase() ?? ''] ?? Number.NaN));
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw usage(
    `--storage-quota must be a size such as 500MB or 10GB, a number of bytes, or none; got ${quote(text)}.`,
    'For example: --storage-quota 10GB, which is 10,000,000,000 bytes.',
  );
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `90d`, `24h`, `15m` or `30s`, in seconds. */
export function parseDuration(text: string, flag: string): number {
  const match = /^([0-9]{1,6})([smhd])$/.exec(text);
  if (match !== null) return Number(match[1]) * (seconds[match[2] ?? ''] ?? 0);
  throw usage(`${flag} must be a time such as 90d, 24h, 15m or 30s; got ${quote(text)}.`, `For example: ${flag} 24h.`);
}

export function parseGrants(texts: readonly string[]): readonly Grant[] {
  return texts.map((text) => {
    const grant = parseGrant(text);
    if ('wrong' in grant) throw usage(`--grant: ${grant.wrong}`, 'For example: --grant svc_contact:read.');
    return grant;
  });
}

export function usage(sentence: string, fix: string): Failure {
  return new Failure('usage', sentence, fix);
}

function quote(text: string | undefined): string {
  return text === undefined ? 'nothing' : JSON.stringify(text.slice(0, 80));
}
