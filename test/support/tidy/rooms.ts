// Directions: which room may import from which, and which folders of a room lie below which. ARCHITECTURE.md draws them.
import type { SourceFile } from '../sources.ts';

/** Each room with those it may import from, itself included. `client` is the part of the client that the program shares. */
const staircase: Readonly<Record<string, readonly string[]>> = {
  client: ['client'],
  base: ['client', 'base'],
  schema: ['client', 'base', 'schema'],
  access: ['client', 'base', 'schema', 'access'],
  query: ['client', 'base', 'schema', 'query'],
  store: ['client', 'base', 'schema', 'query', 'store'],
  engine: ['client', 'base', 'schema', 'access', 'query', 'store', 'engine'],
  operations: ['client', 'base', 'schema', 'access', 'query', 'engine', 'operations'],
  http: ['client', 'base', 'access', 'engine', 'operations', 'http'],
  demo: ['client', 'base', 'schema', 'access', 'store', 'engine', 'operations', 'demo'],
  cli: ['client', 'base', 'schema', 'access', 'query', 'store', 'engine', 'operations', 'http', 'demo', 'cli', 'main'],
  main: ['client', 'base', 'schema', 'access', 'query', 'store', 'engine', 'operations', 'http', 'cli', 'main'],
};

/** The folders of engine from the bottom up. A folder imports from those before it; those of one line ignore each other. */
export const engineFloors: readonly (readonly string[])[] = [
  ['shares'],
  ['groups'],
  ['process'],
  ['unit'],
  ['platform'],
  ['rules'],
  ['read'],
  ['feed', 'admin'],
  ['import', 'ingest', 'undo', 'sign-in', 'migrate'],
];

/** Packages that belong to certain rooms, so that the others do not depend on them. */
const packageRooms: Readonly<Record<string, readonly string[]>> = {
  pg: ['store'],
  'pg-connection-string': ['store'],
  'pg-copy-streams': ['store'],
  'node:http': ['http'],
  'openid-client': ['http'],
  pino: ['http', 'cli'],
  'prom-client': ['http', 'cli'],
  commander: ['cli'],
};

/** Imports from a room that is not below. */
export function upwardImports(files: readonly SourceFile[]): readonly string[] {
  const rooms = new Map(files.map(({ path, room }) => [path, room]));
  return localImports(files).flatMap(({ file, target }) => {
    const room = rooms.get(target);
    if (room === undefined || staircase[file.room]?.includes(room) === true) return [];
    return [`${file.path} imports ${target}`];
  });
}

/** Imports of a package in a room that it does not belong to. */
export function strayPackages(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    file.imports.flatMap(({ target, local }) => {
      const rooms = local ? undefined : packageRooms[target];
      return rooms === undefined || rooms.includes(file.room) ? [] : [`${file.path} imports ${target}`];
    }),
  );
}

/** Relative imports of files that do not exist. */
export function brokenImports(files: readonly SourceFile[]): readonly string[] {
  const paths = new Set(files.map(({ path }) => path));
  return localImports(files)
    .filter(({ target }) => !paths.has(target) && target !== 'package.json')
    .map(({ file, target }) => `${file.path} imports ${target}`);
}

/** The ways on which a file imports itself. */
export function fileCircles(files: readonly SourceFile[]): readonly string[] {
  const arrows = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  return circles(arrows);
}

/** The ways on which a folder of a room imports itself. A file that lies in no folder counts as one. */
export function boxCircles(files: readonly SourceFile[], room: string): readonly string[] {
  return circles(new Map([...boxArrows(files, room)].map(([box, targets]) => [box, [...targets.keys()]])));
}

/** Imports between the folders of a room that lead up, or to another folder of the same floor. */
export function upwardFolders(
  files: readonly SourceFile[],
  room: string,
  floors: readonly (readonly string[])[],
): readonly string[] {
  const floorOf = (box: string) => floors.findIndex((floor) => floor.includes(box));
  return [...boxArrows(files, room)].flatMap(([box, targets]) => [
    ...(floorOf(box) === -1 ? [`${box} has no floor`] : []),
    ...[...targets].filter(([target]) => floorOf(target) >= floorOf(box)).map(([, example]) => example),
  ]);
}

/** For each folder of a room those that it imports from, each with one of the imports. */
function boxArrows(files: readonly SourceFile[], room: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const boxOf = (path: string) => path.slice(room.length + 1).split('/')[0] ?? '';
  const inside = files.filter(({ path }) => path.startsWith(`${room}/`));
  const arrows = new Map(inside.map(({ path }) => [boxOf(path), new Map<string, string>()]));
  for (const { file, target } of localImports(inside)) {
    const [from, to] = [boxOf(file.path), boxOf(target)];
    if (target.startsWith(`${room}/`) && from !== to) arrows.get(from)?.set(to, `${file.path} imports ${target}`);
  }
  return arrows;
}

function localImports(files: readonly SourceFile[]): readonly { readonly file: SourceFile; readonly target: string }[] {
  return files.flatMap((file) => file.imports.filter(({ local }) => local).map(({ target }) => ({ file, target })));
}

function circles(arrows: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (node: string, way: readonly string[]): void => {
    if (way.includes(node)) found.push([...way.slice(way.indexOf(node)), node].join(' → '));
    if (way.includes(node) || done.has(node)) return;
    for (const target of arrows.get(node) ?? []) if (arrows.has(target)) visit(target, [...way, node]);
    done.add(node);
  };
  for (const node of arrows.keys()) visit(node, []);
  return found;
}

/** Files that no way of imports leads to from the entries. */
export function unreachedFiles(files: readonly SourceFile[], ...entries: readonly string[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { target } of byPath.get(path)?.imports ?? []) if (byPath.has(target)) visit(target);
  };
  for (const entry of entries) visit(entry);
  return [...byPath.keys()].filter((path) => !reached.has(path));
}

/** Code that works for a request: it gets the share of its org, and neither the whole database nor its driver. */
const requestRooms = /^src\/(operations|http|engine\/(unit|rules|read|feed))\//;
const wholeDatabase =
  /^import [^;]*\bDatabase\b[^;]* from '[^']*store\/database\.ts';|^import [^;]* from '[^']*store\/driver\//m;

export function unsharedDatabases(files: readonly SourceFile[]): readonly string[] {
  return files.filter(({ path, text }) => requestRooms.test(path) && wholeDatabase.test(text)).map(({ path }) => path);
}
