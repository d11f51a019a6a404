// The program's own files as text, for the test that keeps the house rules.
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

export interface Import {
  /** A path relative to the repository, or the name of a package. */
  readonly target: string;
  readonly local: boolean;
}

export function readSources(folder: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const [top = '', room = '', ...deeper] = path.split('/');
      return {
        path,
        room: top !== 'src' ? top : deeper.length === 0 ? 'main' : room,
        text,
        lines: text.replace(/\n$/, '').split('\n'),
        imports: importsOf(path, text),
      };
    });
}

function importsOf(path: string, text: string): readonly Import[] {
  const statements = text.matchAll(/(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|import\('([^']+)'\)/g);
  return [...statements].map((match) => {
    const target = match[1] ?? match[2] ?? '';
    const local = target.startsWith('.');
    return { target: local ? posix.join(dirname(path), target) : target, local };
  });
}
