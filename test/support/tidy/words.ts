// Where things may be written: SQL, locks, time, randomness and the environment in one place each, no boolean parameters,
// nothing unfinished, and no file without a subject.
import type { SourceFile } from '../sources.ts';
import { functionsOf, listsOf } from './functions.ts';
import { maskText } from './mask.ts';

const owners: readonly (readonly [word: RegExp, owner: string])[] = [
  [/process\.env/, 'src/config.ts'],
  [/Date\.now|new Date\(\)|performance\.now|process\.hrtime/, 'src/base/clock.ts'],
  [/pg_(try_)?advisory/, 'src/store/locks.ts'],
  [/Math\.random|randomBytes|randomUUID|getRandomValues|randomInt\b/, 'src/base/id.ts'],
];

/** Reads of the environment, of time and of randomness, and advisory locks, outside the one file that each is for. */
export function strayReads(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    owners.filter(([word, owner]) => path !== owner && word.test(text)).map(([word]) => `${path} has ${word.source}`),
  );
}

/** How statements begin. English begins with some of these words too, so more than the first word is read. */
const statement = new RegExp(
  [
    'select\\s[^.]*\\bfrom\\b',
    'select\\s+[\\w.]+\\(',
    'select\\s+(\\d|\\$)',
    'insert\\s+into\\s',
    'update\\s+[\\w."$\\{\\}]+\\s+(as\\s+\\w+\\s+)?set\\s',
    'delete\\s+from\\s+[\\w"$\\{]+[.\\s]',
    'with\\s+\\w+\\s+as\\s+(not\\s+|materialized\\s+)*\\(',
    '(begin|commit|rollback)\\s*(;|$|work|transaction|isolation|read\\s)',
    'start\\s+transaction',
    'set\\s+(local|session|transaction|role|constraints|search_path)\\b',
    'lock\\s+table\\s',
    '(create|alter|drop)\\s+(unlogged\\s+|temp\\s+|temporary\\s+|unique\\s+|or\\s+replace\\s+)*(table|index|schema|view|role|database|extension|function|sequence|trigger)\\s+[\\w"$]',
    'truncate\\s+(table\\s|[a-z_]+\\.)',
    'copy\\s+[\\w."$\\{\\}]+\\s*(\\(.*\\)\\s*)?(from|to)\\s',
    '(listen|notify|unlisten)\\s+[a-z_"]+\\s*(;|,|$)',
    '(vacuum|analyze|explain|savepoint|release\\s+savepoint|declare\\s+\\w+\\s+cursor)\\b',
  ]
    .map((form) => `(?:${form})`)
    .join('|'),
  'i',
);

/** Words that people give columns of files; `begin` is one of them. */
const wordLists = ['src/engine/import/synonyms.ts'];

/**
 * SQL outside store: the tag for it, or a string of any kind of which a part between semicolons begins like a
 * statement.
 */
export function straySql(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ room, path }) => room !== 'store' && !wordLists.includes(path))
    .flatMap((file) => [
      ...(file.imports.some(({ target }) => target === 'src/base/sql.ts') ? [`${file.path} imports sql`] : []),
      ...maskText(file.text)
        .strings.filter(({ text }) => isSql(text))
        .map(({ text }) => `${file.path} has ${text.trim().slice(0, 60)}`),
    ]);
}

export function isSql(text: string): boolean {
  return text.split(';').some((part) => statement.exec(part.trim())?.index === 0);
}

/** Statements on all or many orgs, by nature: for the operator or the process itself, never part of a request. */
const acrossOrgs = [
  'from orrery.org order by org_id',
  'from orrery.changed_org where changed_in >',
  'from orrery.rate_window as w\n    where get_shard_id_for_distribution_column',
  'from orrery.property_index order by begun_at',
  'from orrery.storage\n    where counted_at is null',
  'from orrery.org as o join orrery.storage as s',
  'from orrery.storage as s join',
  'from orrery.closed_key as k',
  'update orrery.password as p',
  'delete from orrery.password as p using',
  'where exists (select from orrery.running_job as j',
  'where exists (select from orrery.erased as e',
];
const globalTables = [
  'migration',
  'epoch',
  'org_id',
  'cursor_secret',
  'change_life',
  'change_mark',
  'begin_change_life',
  'log_bytes',
  'change_home',
  'change_position',
];

/** The statements of store that read or write tables of an org. */
export function tenantStatements(files: readonly SourceFile[]): readonly { path: string; text: string }[] {
  return files
    .filter(({ room }) => room === 'store')
    .flatMap(({ path, text }) => [...text.matchAll(/sql`([^`]*)`/g)].map((match) => ({ path, text: match[1] ?? '' })))
    .filter(({ text }) =>
      [...text.matchAll(/orrery\.([a-z_]+)/g)].some((match) => !globalTables.includes(match[1] ?? '')),
    );
}

/** Statements on tables of an org that do not name it. */
export function statementsWithoutOrg(files: readonly SourceFile[]): readonly string[] {
  return tenantStatements(files)
    .filter(({ text }) => {
      const insert = /(insert into|copy) orrery\.[a-z_]+\s+\(org_id/.test(text);
      // A part of a statement may tie its table to the org of another table; a whole statement names the org.
      const whole = /^\s*(select|update|delete|with)\s/.test(text);
      // `visibleTo` adds the org and what the caller may see of it.
      const named = /org_id = \$\{|\$\{visibleTo\(/.test(text);
      const bound = whole ? named : named || /org_id = [a-z]\.org_id/.test(text);
      return !insert && !bound && !acrossOrgs.some((known) => text.includes(known));
    })
    .map(({ path, text }) => `${path}: ${text.trim()}`);
}

/**
 * `boolean` alone or in a union, as the type of a parameter; a member of an object has a name at its call, and may be.
 */
const booleanType = /^(?:readonly\s+)?[\w$]+\??\s*:\s*(?:[^={(<]*\|\s*)?boolean\s*(?:$|[|=])/;
const booleanDefault = /^[\w$]+\s*=\s*(?:true|false)$/;

export function booleanParameters(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    const { code } = maskText(text);
    const typed = listsOf(code).filter(({ items }) => items.some((item) => booleanType.test(item)));
    const chosen = functionsOf(code).filter(({ parameters }) => parameters.some((each) => booleanDefault.test(each)));
    return [...typed, ...chosen].map(({ line }) => `${path}:${line} takes a boolean`);
  });
}

export function unfinishedLines(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => linesLike(path, text, /\b(TODO|FIXME)\b/));
}

/** `any`, and comments that make a checker look away. */
export function quietedCheckers(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => [
    ...linesLike(path, maskText(text).code, /: any\b|\bas any\b|<any\b/),
    ...linesLike(path, text, /@ts-(ignore|expect-error|nocheck)|biome-ignore|oxlint-disable/),
  ]);
}

function linesLike(path: string, text: string, pattern: RegExp): readonly string[] {
  return text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : []));
}

/** Files named after no subject. `exempt` are those that have such a name for a reason. */
export function drawers(files: readonly SourceFile[], exempt: readonly string[]): readonly string[] {
  const drawer = /\/([a-z-]+-)?(index|utils?|helpers?|common|manager|misc)\.ts$|\/types\.ts$/;
  return files.map(({ path }) => path).filter((path) => drawer.test(path) && !exempt.includes(path));
}

/** Files that pass on what another file declares, or have a default export. */
export function passedOn(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ text }) => /\nexport (default\b|(type )?(\*|\{[^}]*\}) from)/.test(text))
    .map(({ path }) => path);
}
