// A server that recovers and is stopped before any session of ours has come, as the watch of a killed process can do. What the server
// knew of its recovery is gone then, and cursors from before it still hold.
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sql } from '../../src/base/sql.ts';
import { openMigrated } from '../../src/store/driver/open.ts';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';
import { hasSurvived } from '../../src/store/feed/lives.ts';
import { readPosition } from '../../src/store/feed/position.ts';
import { cleanUp, newFolder } from '../support/embedded/harness.ts';
import { until } from '../support/eventually.ts';
import { placeAt } from '../support/feed/place-at.ts';
import { postmasterOf } from '../support/records/killable-host.ts';

afterEach(cleanUp);

test('a cursor holds although the server was stopped after its recovery and before the first session', async () => {
  const dataDir = join(newFolder(), 'data');
  const first = await openMigrated({ engine: 'embedded', dataDir });
  const seen = await readPosition(first);
  const { pid } = await postmasterOf(dataDir);
  process.kill(pid, 'SIGKILL');
  await first.close();

  const server = await openEmbedded(dataDir);
  expect((await postmasterOf(dataDir)).pid).not.toBe(pid);
  await server.close();
  await until(() =>
    postmasterOf(dataDir).then(
      () => false,
      () => true,
    ),
  );

  const database = await openMigrated({ engine: 'embedded', dataDir });
  expect((await readPosition(database)).life).not.toBe(seen.life);
  expect(await hasSurvived(database, placeAt(seen))).toBe(true);
  await database.close();
});

test('without a recovery nobody can tell how far one went, wherever the checkpoint of the stop is', async () => {
  const dataDir = join(newFolder(), 'data');
  const first = await openMigrated({ engine: 'embedded', dataDir });
  // The stop then writes its checkpoint at the beginning of a page.
  await first.query(sql`select pg_switch_wal()`);
  await first.close();
  const database = await openMigrated({ engine: 'embedded', dataDir });
  const [row] = await database.query<object>(sql`
    select orrery.recovered_to(1, 1) as "recoveredTo", c.checkpoint_lsn = c.redo_lsn as "isOne",
      (c.redo_lsn - '0/0'::pg_lsn) % 8192 < 200 as "isAtBeginning" from pg_control_checkpoint() as c`);
  expect(row).toEqual({ recoveredTo: null, isOne: true, isAtBeginning: true });
  await database.close();
});
