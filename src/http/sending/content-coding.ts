// The form of a document that a client gets: the coding that it prefers (RFC 9110, 12.5.3), a 304 if it already has that
// form (13.1.2), or a page instead of a problem if it is a browser (12.5.1).

export type Coding = 'br' | 'gzip';

/** The first of `offered` with the client's highest weight; undefined means uncompressed. */
export function chooseCoding(accepted: string | undefined, offered: readonly Coding[]): Coding | undefined {
  if (accepted === undefined) return undefined;
  const weights = weightsIn(accepted);
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const best = Math.max(...offered.map(weightOf));
  // `identity` is always acceptable; it is preferred only if the client names it.
  if (best <= 0 || best < (weights.get('identity') ?? 0)) return undefined;
  return offered.find((coding) => weightOf(coding) === best);
}

/** Whether the client names HTML, and does not prefer JSON to it. Programs that accept anything do not name it. */
export function acceptsHtml(accept: string | undefined): boolean {
  const weights = weightsIn(accept ?? '');
  const json = Math.max(weights.get('application/json') ?? 0, weights.get('application/problem+json') ?? 0);
  const html = weights.get('text/html') ?? 0;
  return html > 0 && html >= json;
}

/** The listed names and their weights. */
function weightsIn(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const entry of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}

/** Whether `If-None-Match` has the tag. A weak tag counts, because it means the same content. */
export function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes(tag.replace(/^W\//, '')) || tags.includes('*');
}
