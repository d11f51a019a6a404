// The request behind a view, as curl and as code of the client: ready to paste.

export interface ShownRequest {
  /** What it is for, where a page has several. */
  readonly title?: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Below `/rest/v1`. */
  readonly path: string;
  readonly body?: unknown;
  /** The same with `@orrery/client`. */
  readonly code: string;
}

/** Single quotes keep everything for a shell but themselves. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function curlText(requests: readonly ShownRequest[], origin: string): string {
  return requests.map((request) => titled(request, '#', curlOf(request, origin))).join('\n\n');
}

function curlOf({ method, path, body }: ShownRequest, origin: string): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(`${origin}/rest/v1${path}`)}`,
    '-H "Authorization: Bearer $ORRERY_KEY"',
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ];
  return lines.join(' \\\n  ');
}

export function clientText(requests: readonly ShownRequest[], origin: string): string {
  const code = requests.map((request) => titled(request, '//', request.code)).join('\n\n');
  return [
    `import { createClient } from '@orrery/client';`,
    '',
    `const client = createClient({ url: ${JSON.stringify(origin)}, key: process.env.ORRERY_KEY });`,
    code,
  ].join('\n');
}

/** Titles can be chosen by people: they stay on one line. */
function titled({ title }: ShownRequest, mark: string, text: string): string {
  return title === undefined ? text : `${mark} ${title.replace(/\s+/g, ' ')}\n${text}`;
}

/** A value as TypeScript writes it: like JSON, with bare names. */
export function literal(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(/"([A-Za-z_]\w*)":/g, '$1:');
}
