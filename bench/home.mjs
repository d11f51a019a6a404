// Home in Chromium, in an org of 100,000 records (`home-org.mjs`): from the press on "Home", in a console that is signed in and
// at rest, to the last figure; and from the load of the page, by somebody who has been there before. With the number of requests,
// the CPU time of the service, the database and the browser, the requests that cost most, and the time that a client without a page takes for
// the same requests, all sent at once, as the floor. `node bench/home.mjs FOLDER` measures another build beside this one, on the
// same data, by turns. Prints the numbers, writes them to bench/results/home.json, and fails if a target is missed. CHROMIUM
// names the browser, BENCH_DATA a folder that keeps the org.
import { rm, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { email, homeOrg, moves, sizes } from './home-org.mjs';
import {
  cpuNanoseconds,
  databaseNanoseconds,
  machine,
  median,
  openConnection,
  root,
  spawnBeside,
  startService,
} from './support.mjs';

const rounds = Number(process.env.BENCH_ROUNDS ?? 15);
const targets = { click_ms: 300, click_requests: 16 };
/** As many connections as a browser opens, but one, on which it follows the changes. */
const connections = 5;
const [other] = process.argv.slice(2);

const org = await homeOrg(process.env.BENCH_DATA);
const service = await startService(org.folder);
const beside =
  other === undefined ? undefined : await spawnBeside(service.database, join(resolve(other), 'bin/orrery'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const chromiumItself = await browser.newBrowserCDPSession();
try {
  const sides = { now: await openSide(service.url, service.pid) };
  if (beside !== undefined) sides.before = await openSide(beside.url, beside.child.pid);
  const began = loadavg()[0];
  // By turns, so that other work on the machine affects both.
  for (let round = 0; round < rounds; round++) {
    for (const side of Object.values(sides)) {
      side.clicks.push(await measureClick(side));
      side.loads.push(await measureLoad(side));
    }
  }
  // Processes that wanted a core while it was measured, those of the measurement included.
  const load = { before: began, after: loadavg()[0] };
  const result = { ...machine(), load_average: load, sizes, moves, rounds, targets, ...(await report(sides)) };
  result.missed = [
    ...(result.click.ms.median > targets.click_ms ? [`the page after ${result.click.ms.median} ms`] : []),
    ...(result.click.requests > targets.click_requests ? [`${result.click.requests} requests`] : []),
  ];
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (process.env.BENCH_ROUNDS === undefined) {
    await writeFile(join(root, 'bench/results/home.json'), `${JSON.stringify(result, null, 2)}\n`);
  }
  process.exitCode = result.missed.length === 0 ? 0 : 1;
} finally {
  await browser.close();
  if (beside !== undefined) {
    const ended = new Promise((done) => beside.child.once('exit', done));
    beside.child.kill('SIGTERM');
    await ended;
  }
  await service.stop();
  if (process.env.BENCH_DATA === undefined) await rm(org.folder, { recursive: true, force: true });
}

/** Somebody who is signed in, and has been at Home before: what a browser keeps is there. */
async function openSide(url, pid) {
  const { link } = await service.orrery('member', 'link', '--org', String(org.orgId), email);
  const token = new URLSearchParams(new URL(link).hash.slice(1)).get('link');
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  const answer = await page.request.post(`${url}/auth/link`, { data: { token }, headers: { origin: url } });
  if (!answer.ok()) throw new Error(await answer.text());
  await page.addInitScript(watchHome);
  const asked = [];
  const note = (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/rest/') && !pathname.includes('/changes/')) {
      asked.push({ method: request.method(), path: pathname.slice('/rest/v1'.length), body: request.postDataJSON() });
    }
  };
  const side = { url, pid, page, asked, clicks: [], loads: [] };
  await measureLoad(side);
  await rest(side);
  page.on('request', note);
  await page.evaluate('openHome()');
  page.off('request', note);
  await measureClick(side);
  return side;
}

/** Another page of the console, until nothing is read any more. */
async function rest({ page, url }) {
  await page.goto(`${url}/console/account`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.evaluate(`new Promise((resolve) => {
    let timer = setTimeout(resolve, 500);
    new PerformanceObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, 500);
    }).observe({ type: 'resource' });
  })`);
}

async function measureClick(side) {
  await rest(side);
  return measured(side, () => side.page.evaluate('openHome()'));
}

async function measureLoad(side) {
  await side.page.goto('about:blank');
  return measured(side, async () => {
    await side.page.goto(`${side.url}/console/`);
    return side.page.evaluate('homeShown');
  });
}

/** What it took, in milliseconds, with the CPU time of all that took part. */
async function measured({ pid }, open) {
  const used = async () => ({
    node: await cpuNanoseconds(pid),
    postgresql: await databaseNanoseconds(service.postmaster),
    chromium: await chromiumNanoseconds(),
  });
  const before = await used();
  const { ms, requests } = await open();
  const after = await used();
  return {
    ms,
    requests,
    cpu: Object.fromEntries(Object.keys(after).map((name) => [name, Math.max(0, after[name] - before[name]) / 1e6])),
  };
}

/** Of all its processes. */
async function chromiumNanoseconds() {
  const { processInfo } = await chromiumItself.send('SystemInfo.getProcessInfo');
  const times = await Promise.all(processInfo.map(({ id }) => cpuNanoseconds(id)));
  return times.reduce((sum, time) => sum + time, 0);
}

/** Runs in the page, because being asked again and again would take its time. */
function watchHome() {
  const isRequest = ({ name }) => name.includes('/rest/') && !name.includes('/changes/');
  const shown = (from) =>
    new Promise((done) => {
      const watch = new MutationObserver(look);
      function look() {
        const home = document.querySelector('.home');
        if (home === null || home.matches('[aria-busy=true]') || home.querySelector('[aria-busy=true]') !== null)
          return;
        watch.disconnect();
        // After the frame in which the last figure is drawn.
        requestAnimationFrame(() =>
          setTimeout(() => {
            const all = performance.getEntriesByType('resource').filter(({ startTime }) => startTime >= from);
            done({ ms: performance.now() - from, requests: all.filter(isRequest).length });
          }),
        );
      }
      watch.observe(document, { childList: true, subtree: true, attributes: true });
      look();
    });
  globalThis.homeShown = location.pathname === '/console/' ? shown(0) : undefined;
  globalThis.openHome = () => {
    const began = performance.now();
    const opened = shown(began);
    document.querySelector('nav a[href="/console/"]').click();
    return opened;
  };
}

async function report({ now, before }) {
  const { floor, costs } = await measureRequests(now.asked);
  const reported = { click: summary(now.clicks), load: summary(now.loads) };
  return {
    ...reported,
    floor: { ms: floor, click_ratio: ratio(reported.click.ms.median, floor) },
    costs,
    ...(before === undefined ? {} : { before: compared(reported, before) }),
  };
}

function summary(all) {
  const of = (values) => Math.round(median(values));
  const times = all.map(({ ms }) => Math.round(ms));
  const cpu = (name) => of(all.map((each) => each.cpu[name]));
  return {
    ms: { median: of(times), least: Math.min(...times), most: Math.max(...times) },
    requests: Math.max(...all.map(({ requests }) => requests)),
    cpu_ms: { node: cpu('node'), postgresql: cpu('postgresql'), chromium: cpu('chromium') },
  };
}

/** The other build, and this one as ratios to it. */
function compared(now, { clicks, loads }) {
  const before = { click: summary(clicks), load: summary(loads) };
  const ratios = ['click', 'load'].map((name) => {
    const [own, former] = [now[name], before[name]];
    const total = ({ cpu_ms }) => Object.values(cpu_ms).reduce((sum, each) => sum + each, 0);
    return [name, { ms: ratio(own.ms.median, former.ms.median), cpu: ratio(total(own), total(former)) }];
  });
  return { ...before, ratios: Object.fromEntries(ratios) };
}

function ratio(one, other) {
  return Math.round((one / other) * 100) / 100;
}

/** The requests of the page without a page: all at once, and each by itself. */
async function measureRequests(asked) {
  const clients = await Promise.all(Array.from({ length: connections }, () => openConnection(service.port)));
  const send = (client, { method, path, body }) => client.send(method, path, org.key, body ?? undefined);
  const floors = [];
  const costs = asked.map((each) => ({ ...each, ms: [], cpu: 0 }));
  const used = async () => (await cpuNanoseconds(service.pid)) + (await databaseNanoseconds(service.postmaster));
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const waiting = [...asked];
    const drain = async (client) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await send(client, next);
    };
    await Promise.all(clients.map(drain));
    floors.push(performance.now() - began);
  }
  for (const cost of costs) {
    const before = await used();
    for (let round = 0; round < rounds; round++) cost.ms.push((await send(clients[0], cost)).ms);
    cost.cpu = ((await used()) - before) / rounds / 1e6;
  }
  for (const client of clients) client.close();
  const tenths = (value) => Math.round(value * 10) / 10;
  return {
    floor: Math.round(median(floors)),
    costs: costs
      .toSorted((left, right) => right.cpu - left.cpu)
      .slice(0, 8)
      .map(({ path, body, ms, cpu }) => ({
        path,
        asks: JSON.stringify(body?.filter ?? body?.group_by ?? null).slice(0, 160),
        ms: tenths(median(ms)),
        cpu_ms: tenths(cpu),
      })),
  };
}
