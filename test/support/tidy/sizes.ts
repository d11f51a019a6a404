// How long files and functions get, how many files a folder holds, and what a file begins with.
import { posix } from 'node:path';
import type { SourceFile } from '../sources.ts';
import { functionsOf } from './functions.ts';
import { maskText } from './mask.ts';

const fileLinesMax = 300;
const functionLinesMax = 60;
const folderFilesMax = 20;

export function longFiles(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, lines }) => (lines.length > fileLinesMax ? [`${path} has ${lines.length} lines`] : []));
}

export function longFunctions(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    functionsOf(maskText(text).code)
      .filter(({ lines }) => lines > functionLinesMax)
      .map(({ line, lines }) => `${path}:${line} has ${lines} lines`),
  );
}

/** Tests count as well: they lie beside the code. */
export function fullFolders(files: readonly SourceFile[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > folderFilesMax)
    .map(([folder, count]) => `${folder} has ${count} files`);
}

/** Files that do not begin with one to eight lines of comment. */
export function filesWithoutHeader(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ lines }) => {
      const header = lines.findIndex((line) => !line.startsWith('//'));
      return header < 1 || header > 8;
    })
    .map(({ path }) => path);
}
