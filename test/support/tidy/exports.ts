// Exports that no other file imports, and small files that only one file imports.
import type { SourceFile } from '../sources.ts';

/** `importers` are all files that may import, those with the exports among them. */
export function unusedExports(files: readonly SourceFile[], importers: readonly SourceFile[]): readonly string[] {
  const used = new Map<string, Set<string>>();
  for (const { imports } of importers) {
    for (const { target, names } of imports) {
      const known = used.get(target) ?? new Set();
      for (const name of names === '*' ? ['*'] : names) known.add(name);
      used.set(target, known);
    }
  }
  return files.flatMap(({ path, text }) =>
    exportsOf(text)
      .filter((name) => used.get(path)?.has(name) !== true && used.get(path)?.has('*') !== true)
      .map((name) => `${path} exports ${name}`),
  );
}

export function exportsOf(text: string): readonly string[] {
  const declared = text.matchAll(
    /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) ([\w$]+)/gm,
  );
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\};/gm)].flatMap(([, list = '']) =>
    list.split(',').map((name) => name.trim().split(' as ').at(-1) ?? ''),
  );
  return [...[...declared].map(([, name = '']) => name), ...listed].filter((name) => name !== '');
}
