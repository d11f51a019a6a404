// Values of visible records that the grants of the credential hide: different ones in the two orgs.
import type { Random } from '../random.ts';

/** A word that no answer may have unless the request had it: only hidden records and values have it. */
export const hiddenWord = 'xyzzy';

export type Secrets = 'with secrets' | 'without secrets';

/** What a record of the sort gets. Some are long, and are stored apart from the entries of the feed. */
export function hiddenValues(random: Random, sort: string, secrets: Secrets): Readonly<Record<string, unknown>> {
  // Each is a new one.
  const serial = random.below(1_000_000_000);
  const isSecret = secrets === 'with secrets';
  const words = `${hiddenWord} alpha beta ${serial} `;
  const text = isSecret ? words.repeat(serial % 5 === 0 ? 2_400 : 1) : `nothing ${serial}`;
  if (sort === 'company') return { svc_description: text, svc_annual_revenue: isSecret ? String(serial) : '1' };
  if (sort !== 'thing') return {};
  const day = isSecret ? `2026-01-${String(10 + (serial % 20))}` : '2026-02-02';
  return { secret_note: text, serial: isSecret ? `${hiddenWord}-${serial}` : `s-${serial}`, secret_day: day };
}
