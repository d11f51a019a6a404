// All benchmarks one after the other, then one table of ours, the floor and their ratio, beside the numbers of the commit
// before. Adds what it measured to bench/results/history.jsonl under the commit, and fails if a target is missed.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { machine, root } from './support.mjs';
import { entryBefore, isMet, isSlower, keep, rowsFrom, tableOf } from './table.mjs';

/** The programs, by the name of their result. */
const parts = {
  start: 'start',
  records: 'records',
  dashboards: 'dashboards',
  queries: 'queries',
  changes: 'changes',
  imports: 'import',
  administration: 'administration',
};

const results = {};
let hasFailed = false;
for (const [name, file] of Object.entries(parts)) {
  process.stderr.write(`${file} ...\n`);
  const child = spawn(process.execPath, [`bench/${file}.mjs`], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = await once(child, 'exit');
  if (status !== 0) hasFailed = true;
  results[name] = JSON.parse(await readFile(join(root, `bench/results/${file}.json`), 'utf8'));
}

const { date, machine: on, node } = machine();
const commit = await commitNow();
const rows = rowsFrom(results);
const before = await entryBefore(commit, on);
process.stdout.write(`\n${date}, ${commit}, ${on}, Node ${node}\n\n${tableOf(rows, before)}`);
await keep({
  date,
  commit,
  machine: on,
  node,
  rows: rows.map(({ name, ours, floor, ratio }) => ({ name, ours, floor, ratio })),
});
const slower = rows.filter((row) =>
  isSlower(
    row,
    before?.rows.find(({ name }) => name === row.name),
  ),
);
process.exitCode = hasFailed || slower.length > 0 || !rows.every(isMet) ? 1 : 0;

/** With a sign if files have been changed since. */
async function commitNow() {
  const git = async (...words) => (await promisify(execFile)('git', words, { cwd: root })).stdout.trim();
  const changed = await git('status', '--porcelain', '--', 'src', 'package-lock.json');
  return `${await git('rev-parse', '--short=9', 'HEAD')}${changed === '' ? '' : '+'}`;
}
