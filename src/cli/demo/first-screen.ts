// The screen that a person sees when the demo is ready: what runs and where, its content, the keys, and a first request.
import type { Demo } from '../../../demo/write/make-demo.ts';
import { release } from '../../config.ts';
import { basePath } from '../../operations/operation.ts';
import type { DatabaseFacts } from '../../store/database.ts';

export interface Screen {
  readonly facts: DatabaseFacts;
  readonly url: string;
  /** The console, with a link that signs an administrator in once, if the org has one. */
  readonly console: { readonly url: string; readonly signsIn: boolean };
  readonly readySeconds: string;
  /** The demo org, or the first existing one. */
  readonly orgId: number;
  /** The demo created by this start; undefined if an org existed. */
  readonly demo: Demo | undefined;
  /** The file with the keys, if there is one. */
  readonly keyFile: string | undefined;
  /** The flags with which a command finds the same database. */
  readonly databaseFlags: string;
}

/** How text is emphasized. */
interface Paint {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
}

export const plain: Paint = { strong: (text) => text, faint: (text) => text };
export const coloured: Paint = {
  strong: (text) => `\u001b[1m${text}\u001b[0m`,
  faint: (text) => `\u001b[2m${text}\u001b[0m`,
};

export function apiUrl(url: string): string {
  return `${url}${basePath}/`;
}

export function docsUrl(url: string): string {
  return `${url}/docs/`;
}

export function firstScreen(screen: Screen, { strong, faint }: Paint): string {
  const { facts, url, demo, orgId, keyFile } = screen;
  const where = facts.engine === 'embedded' ? `embedded in ${facts.place}` : `at ${facts.place}`;
  const row = (name: string, text: string) => `  ${faint(name.padEnd(8))}${text}`;
  return [
    `${strong(`Orrery ${release}`)} · PostgreSQL ${facts.version} ${where} · ready in ${screen.readySeconds} s`,
    '',
    demo === undefined
      ? row('Found', 'existing data; nothing created')
      : row('Demo', `org ${orgId} with ${contents(demo.counts)}`),
    row('Console', `${screen.console.url}${screen.console.signsIn ? ' (signs in once, within 10 minutes)' : ''}`),
    row('API', apiUrl(url)),
    row('Docs', docsUrl(url)),
    ...keyLines(screen).map(([name, text]) => row(name, text)),
    ...(keyFile === undefined ? [] : [row('Shell', `. ${quoted(keyFile)}  # sets ORRERY_URL and ORRERY_KEY`)]),
    row('Try', strong(tryLine(screen))),
    row('Next', strong(`bin/orrery export --org ${orgId} --type svc_deal${screen.databaseFlags}`)),
    '',
    'Press Ctrl-C to stop.',
  ].join('\n');
}

const shown: readonly (readonly [objectType: string, word: string])[] = [
  ['svc_company', 'companies'],
  ['svc_contact', 'contacts'],
  ['svc_deal', 'deals'],
  ['svc_note', 'notes'],
  ['svc_call', 'calls'],
  ['svc_meeting', 'meetings'],
  ['svc_email_thread', 'email threads'],
  ['svc_web_visit', 'web visits'],
  ['subscription', 'subscriptions'],
];

function contents(counts: ReadonlyMap<string, number>): string {
  return `${shown.map(([type, word]) => `${counts.get(type) ?? 0} ${word}`).join(', ')}, and ten months of history`;
}

function keyLines({ demo, keyFile, orgId, databaseFlags }: Screen): readonly (readonly [string, string])[] {
  if (demo === undefined) {
    const another = `create one with bin/orrery key create --org ${orgId}${databaseFlags}`;
    return [['Key', keyFile === undefined ? another : `same as on the first start, in ${keyFile}`]];
  }
  const kept = keyFile === undefined ? '' : `; also in ${keyFile}`;
  return [
    ['Key', `${demo.keys.full} (shown once${kept})`],
    ['Limited', `${demo.keys.limited} (reads contacts and companies only)`],
  ];
}

/** A command that can be pasted as it is. */
function tryLine({ url, demo, keyFile }: Screen): string {
  const source = demo === undefined && keyFile !== undefined ? `. ${quoted(keyFile)} && ` : '';
  const key = demo?.keys.full ?? (keyFile === undefined ? '<your key>' : '$ORRERY_KEY');
  return `${source}curl -H "Authorization: Bearer ${key}" "${apiUrl(url)}objects/svc_deal/records/?limit=3"`;
}

/** Quoted as one word for a shell. */
export function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
