// Runs the shell lines of a document as a reader would paste them: one shell for the whole document, so that later blocks
// have the variables of earlier ones. A `json` block after a `sh` block shows the answer of its last line, and is compared
// with the real answer: the status, if it has one, and every member that it shows.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Example {
  readonly script: string;
  /** The answer in the document, if it shows one. */
  readonly shown: unknown;
  readonly status: number | undefined;
}

export interface Ran {
  readonly example: Example;
  /** The statuses of all requests, in order. */
  readonly statuses: readonly number[];
  /** The last line that the block printed. */
  readonly answer: string;
}

export function examplesOf(markdown: string): readonly Example[] {
  const blocks = [...markdown.matchAll(/```([a-z]+)(?: ([0-9]{3}))?\n([\s\S]*?)```/g)].map(
    ([, language = '', status, text = '']) => ({ language, status, text }),
  );
  return blocks.flatMap(({ language, text }, index) => {
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    if (next?.language !== 'json') return [{ script: text, shown: undefined, status: undefined }];
    const status = next.status === undefined ? undefined : Number(next.status);
    return [{ script: text, shown: JSON.parse(next.text) as unknown, status }];
  });
}

/** Replaces `curl`: it records the status and ends the answer with a line break. */
const prelude = `set -euo pipefail
curl() {
  command curl --silent --show-error --output "$NOTES/body" --write-out '%{http_code}\\n' "$@" >> "$NOTES/statuses"
  cat "$NOTES/body" && echo
}
`;

export async function runExamples(
  examples: readonly Example[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly Ran[]> {
  const notes = await mkdtemp(join(folder, 'notes-'));
  const blocks = examples.map(({ script }, index) => {
    const save = ['output', 'statuses'].map((name) => `mv "$NOTES/${name}" "$NOTES/${name}-${index}"`).join('; ');
    return `: > "$NOTES/statuses"\n{ :\n${script}} > "$NOTES/output"\n${save}`;
  });
  try {
    await promisify(execFile)('bash', ['-c', prelude + blocks.join('\n')], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, NOTES: notes, ...env },
      timeout: 300_000,
    }).catch(async (error: Error & { stderr: string }) => {
      const done = (await readdir(notes)).filter((name) => name.startsWith('output-')).length;
      throw new Error(`${error.stderr}\n${examples[done]?.script}`);
    });
    return await Promise.all(
      examples.map(async (example, index) => {
        const [output, statuses] = await Promise.all(
          ['output', 'statuses'].map((name) => readFile(join(notes, `${name}-${index}`), 'utf8')),
        );
        return {
          example,
          statuses: (statuses ?? '').split('\n').filter(Boolean).map(Number),
          answer: (output ?? '').trimEnd().split('\n').at(-1) ?? '',
        };
      }),
    );
  } finally {
    await rm(notes, { recursive: true, force: true });
  }
}

/** The differences between the answer and the document; empty if there are none. */
export function differences({ example, statuses, answer }: Ran): readonly string[] {
  const last = statuses.at(-1);
  const expected = example.status;
  const wrong = statuses.filter(
    (status, index) => !(index === statuses.length - 1 && status === expected) && (status < 200 || status > 299),
  );
  return [
    ...wrong.map((status) => `a request was answered ${status}: ${answer}`),
    ...(expected === undefined || last === expected ? [] : [`${last} came where ${expected} is shown`]),
    ...(example.shown === undefined || wrong.length > 0 ? [] : missing(example.shown, JSON.parse(answer), '')),
  ];
}

/**
 * The parts of the shown answer that the real one does not have. An ellipsis matches anything: any part of a text, and any
 * further items at the end of a list.
 */
function missing(shown: unknown, came: unknown, at: string): readonly string[] {
  if (shown === '…') return came === undefined ? [`${at} is missing`] : [];
  if (typeof shown === 'string' && shown.includes('…')) {
    const parts = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return typeof came === 'string' && new RegExp(`^${parts.join('.*')}$`, 's').test(came) ? [] : [unlike(at, came)];
  }
  if (Array.isArray(shown)) {
    if (!Array.isArray(came)) return [unlike(at, came)];
    const open = shown.at(-1) === '…';
    const items = open ? shown.slice(0, -1) : shown;
    if (open ? came.length < items.length : came.length !== items.length) return [unlike(at, came)];
    return items.flatMap((item, index) => missing(item, came[index], `${at}/${index}`));
  }
  if (typeof shown === 'object' && shown !== null) {
    if (typeof came !== 'object' || came === null) return [unlike(at, came)];
    const members = came as Readonly<Record<string, unknown>>;
    return Object.entries(shown).flatMap(([name, value]) => missing(value, members[name], `${at}/${name}`));
  }
  return shown === came ? [] : [unlike(at, came)];
}

function unlike(at: string, came: unknown): string {
  return `${at === '' ? 'the answer' : at} is ${JSON.stringify(came)}`;
}
