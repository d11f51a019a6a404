// The files of the repository as text, with what they import, for tests about the code itself.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root } from './repository.ts';

export interface SourceFile {
  /** Relative to the repository, such as `src/base/id.ts`. */
  readonly path: string;
  /** The room below src, such as `base`; `main` for the files of src itself; outside src the folder, such as `demo`. */
  readonly room: string;
  readonly lines: readonly string[];
  readonly text: string;
  readonly imports: readonly Import[];
}

interface Import {
  /** A path relative to the repository, or the name of a package. */
  readonly target: string;
  readonly local: boolean;
  /** The imported names, or `*` if the importer may use all of them. */
  readonly names: readonly string[] | '*';
}

export function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => /\.(tsx?|mjs)$/.test(path) && !path.includes('node_modules/'))
    .map((path) => toSource(path, readFileSync(join(root, path), 'utf8')));
}

/** A file of this path and text, which need not exist. */
export function toSource(path: string, text: string): SourceFile {
  const [top = '', room = '', ...deeper] = path.split('/');
  return {
    path,
    room: top !== 'src' ? top : deeper.length === 0 ? 'main' : room,
    text,
    lines: text.replace(/\n$/, '').split('\n'),
    imports: importsOf(path, text),
  };
}

function importsOf(path: string, text: string): readonly Import[] {
  const statements = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s([^;']*?)\sfrom\s+'([^']+)'|(?:^|\n)import\s+'([^']+)'|import\('([^']+)'\)/g,
  );
  return [...statements].map(([, clause, from, bare, dynamic]) => {
    const target = from ?? bare ?? dynamic ?? '';
    const local = target.startsWith('.');
    return {
      target: local ? posix.join(dirname(path), target) : target,
      local,
      names: clause === undefined ? (dynamic === undefined ? [] : '*') : namesIn(clause),
    };
  });
}

/** The names in the clause of an import or re-export: `type { A, b as c }`, `* as all`. */
function namesIn(clause: string): readonly string[] | '*' {
  const list = /\{([^}]*)\}/.exec(clause)?.[1];
  if (list === undefined) return clause.includes('*') ? '*' : ['default'];
  return list
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^type\s+/, '')
        .replace(/\s+as\s.*$/, ''),
    )
    .filter((name) => name !== '');
}
