// An embedded PostgreSQL whose processes are stopped, as by a debugger or a paused container: it is not dead, so nobody can
// restart it, and it says nothing.
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { limits } from '../../src/base/limits.ts';
import { Problem } from '../../src/base/problem.ts';
import { sql } from '../../src/base/sql.ts';
import { openUnmigrated } from '../../src/store/driver/open.ts';
import { childrenOf } from '../support/children.ts';
import { cleanUp, endProcesses, newFolder, postmasterPid, processesNaming } from '../support/embedded/harness.ts';
import { until } from '../support/eventually.ts';

afterEach(endProcesses);
afterAll(cleanUp);

test('requests are given up once for all, the server is used again when it goes on, and stops as usual', async () => {
  const dataDir = join(newFolder(), 'data');
  const database = await openUnmigrated({ engine: 'embedded', dataDir });
  const ask = async () => {
    const began = performance.now();
    const end = await database.query(sql`select 1`).then(
      () => 'answered',
      (error: unknown) => (error instanceof Problem ? error.reason : String(error)),
    );
    return { end, ms: performance.now() - began };
  };
  try {
    expect((await ask()).end).toBe('answered');
    const postmaster = postmasterPid(dataDir);
    const stopped = [postmaster, ...(await childrenOf(postmaster))];
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    try {
      // More than there are connections: some wait for one.
      const first = await Promise.all(Array.from({ length: 20 }, ask));
      expect(new Set(first.map(({ end }) => end))).toEqual(new Set(['storage_unavailable']));
      expect(Math.max(...first.map(({ ms }) => ms))).toBeLessThan(limits.statementSeconds * 1_000);
      const later = await ask();
      expect(later.end).toBe('storage_unavailable');
      expect(later.ms).toBeLessThan(2_000);
    } finally {
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
    }
    await until(async () => (await ask()).end === 'answered');
  } finally {
    await database.close();
  }
  expect(await processesNaming(dataDir)).toEqual([]);
});
