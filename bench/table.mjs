// One table of what the benchmarks measured last, beside what the commit before had, and the history that it is taken from.
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './support.mjs';

const historyFile = join(root, 'bench/results/history.jsonl');
/** Less than this part of what the commit before had is no noise. */
const slowerBelow = 0.9;

const names = {
  get: 'get',
  list: 'list of 50',
  deep: 'page at nine tenths of the list',
  email: 'email equality',
  range: 'amount range, sorted',
  count: 'count by lead score',
  update: 'update of one property',
  create: 'create',
  graph: 'three records with links',
  batch100: 'batch of 100 creates',
};

/** The rows of all results that there are. `wanted` is the least ratio, or the most or least of our own number. */
export function rowsFrom({ records, dashboards, queries, imports, start }) {
  return [
    ...(records === undefined ? [] : recordRows(records)),
    ...(dashboards === undefined ? [] : dashboardRows(dashboards)),
    ...(imports === undefined ? [] : importRows(imports)),
    ...(queries === undefined ? [] : growthRows(queries)),
    ...(start === undefined ? [] : startRows(start)),
  ];
}

function recordRows({ rows, targets, batches_of_1000: batches, memory_mb: memory }) {
  return [
    ...Object.entries(rows).map(([name, { ours, floor, ratio }]) => ({
      name: names[name],
      unit: 'requests/s',
      ours: ours.per_second,
      floor: floor.per_second,
      ratio,
      wanted: { ratio: targets[name] },
    })),
    {
      name: 'batches of 1,000 creates',
      unit: 'records/s',
      ours: batches.records_per_second,
      floor: batches.floor_records_per_second,
      ratio: batches.ratio,
      wanted: { least: targets.batchRecordsPerSecond },
    },
    { name: 'memory of Node after these rows', unit: 'MB', ours: memory, wanted: { most: targets.memoryMb } },
  ];
}

function dashboardRows({ sizes, targets }) {
  return Object.entries(sizes).flatMap(([size, rows], index) =>
    Object.entries(rows).map(([name, { ours_ms: ours, floor_ms: floor, ratio }]) => ({
      name: `${name}, of ${thousands(Number(size))}`,
      unit: 'ms',
      ours,
      floor,
      ratio,
      wanted: index === 0 ? { ratio: targets.ratio } : { most: targets.ms },
    })),
  );
}

function importRows({ with_summaries: worded, matched, bare_copy: copy, targets }) {
  const ratioTo = (other) => Number((worded.per_second / other).toFixed(2));
  return [
    {
      name: 'import with a dozen words',
      unit: 'contacts/s',
      ours: worded.per_second,
      floor: copy.per_second,
      ratio: ratioTo(copy.per_second),
      wanted: { least: targets.contactsPerSecond },
    },
    {
      name: 'import that finds its contacts, beside one that creates them',
      unit: 'contacts/s',
      ours: matched.per_second,
      floor: worded.per_second,
      ratio: Number((matched.per_second / worded.per_second).toFixed(2)),
      wanted: { ratio: targets.matched },
    },
  ];
}

/** The floor is the smallest org. */
function growthRows({ flat, targets }) {
  return Object.entries(flat).map(([name, { ratio, ms }]) => ({
    name: `${name.replaceAll('_', ' ')}, 1,000,000 against 1,000 records`,
    unit: 'ms',
    ours: ms.big,
    floor: ms.small,
    ratio: Number((1 / ratio).toFixed(2)),
    wanted: { ratio: Number((1 / targets.flat).toFixed(2)) },
  }));
}

function startRows({ warm_start_ms: warm, server_start_ms: server, budget }) {
  return [
    { name: 'start, embedded', unit: 'ms', ours: warm.median, wanted: { most: budget.warm_start_ms } },
    { name: 'start on a server', unit: 'ms', ours: server.median, wanted: { most: budget.server_start_ms } },
  ];
}

/** Whether less is better. */
function isCost({ unit }) {
  return unit === 'ms' || unit === 'MB';
}

export function isMet({ ours, ratio, wanted }) {
  return (
    (wanted.ratio === undefined || ratio >= wanted.ratio) &&
    (wanted.least === undefined || ours >= wanted.least) &&
    (wanted.most === undefined || ours <= wanted.most)
  );
}

/** Whether a row is slower than it was, by its ratio where it has one: machines differ. */
export function isSlower(row, before) {
  if (before === undefined) return false;
  if (row.ratio !== undefined && before.ratio !== undefined) return row.ratio < before.ratio * slowerBelow;
  return isCost(row) ? row.ours * slowerBelow > before.ours : row.ours < before.ours * slowerBelow;
}

/** `before` is the entry of the history to compare with, if there is one. */
export function tableOf(rows, before) {
  const old = new Map(before?.rows.map((row) => [row.name, row]));
  const lines = rows.map((row) => {
    const earlier = old.get(row.name);
    return [
      row.name,
      `${told(row.ours)} ${row.unit}`,
      row.floor === undefined ? '' : told(row.floor),
      row.ratio === undefined ? '' : row.ratio.toFixed(2),
      wantedText(row),
      isMet(row) ? '' : 'missed',
      earlier === undefined ? '' : (earlier.ratio?.toFixed(2) ?? told(earlier.ours)),
      isSlower(row, earlier) ? 'slower' : '',
    ];
  });
  const titles = ['row', 'ours', 'floor', 'ratio', 'wanted', '', before === undefined ? '' : before.commit, ''];
  return aligned([titles, ...lines]);
}

function wantedText({ wanted, unit }) {
  if (wanted.ratio !== undefined) return String(wanted.ratio);
  return wanted.least === undefined ? `at most ${told(wanted.most)} ${unit}` : `at least ${told(wanted.least)}`;
}

function told(value) {
  return value >= 100 ? thousands(Math.round(value)) : String(value);
}

function thousands(value) {
  return value.toLocaleString('en');
}

function aligned(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]));
  return lines.map((cells) => `${cells.map(pad).join('  ').trimEnd()}\n`).join('');
}

/** The last entry of another commit on such a machine. */
export async function entryBefore(commit, machine) {
  return lastEntry(
    (await historyLines()).map((line) => JSON.parse(line)),
    commit,
    machine,
  );
}

export function lastEntry(entries, commit, machine) {
  return entries.findLast((entry) => entry.commit !== commit && coresOf(entry.machine) === coresOf(machine));
}

/** Their number and model. The memory is beside them, and the release of the kernel, which is another one after each update. */
function coresOf(machine) {
  return machine.slice(0, machine.lastIndexOf('), ') + 1);
}

export async function keep(entry) {
  await appendFile(historyFile, `${JSON.stringify(entry)}\n`);
}

async function historyLines() {
  try {
    return (await readFile(historyFile, 'utf8')).trim().split('\n').filter(Boolean);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
