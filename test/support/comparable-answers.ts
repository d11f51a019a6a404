// Answers without what differs from request to request, so that two of them can be compared byte for byte.
import type { Answer } from './answer.ts';

/** The body's text without the request id and the cursors of the feed, which name a moment. */
export function unnamed({ text, headers }: Answer): string {
  return text
    .replaceAll(headers.get('svc-request-id') ?? '(none)', '(request id)')
    .replaceAll(/"(changes|next)_cursor":"[\w-]+"/g, '"$1_cursor":"(cursor)"');
}

/** Headers that are new in every answer, or belong to the connection rather than to the answer. */
const passing = new Set(['svc-request-id', 'date', 'connection', 'keep-alive']);

/** The headers of an answer that could distinguish it from another one; of the rate limit, all but the count. */
export function comparableHeaders({ headers }: Answer): Readonly<Record<string, string>> {
  const all = Object.fromEntries([...headers].filter(([name]) => !passing.has(name)));
  return { ...all, ratelimit: (all['ratelimit'] ?? '').replaceAll(/=\d+/g, '=(number)') };
}
