// orrery doctor: checks for common problems, one line each, and says what to do. Changes nothing, shows no secret, and has
// its own exit status if anything is wrong.
import { Failure } from '../../base/failure.ts';
import { type Config, serveFlags } from '../../config.ts';
import type { Database } from '../../store/database.ts';
import { databaseExists, openUnmigrated } from '../../store/driver/open.ts';
import type { Replication } from '../../store/driver/replication.ts';
import type { Command } from '../command.ts';
import { table } from '../terminal/text.ts';
import { type Checked, checkOpenDatabase } from './check-database.ts';
import { checkMachine } from './check-machine.ts';
import { lossOf } from './check-replication.ts';
import { type Finding, well, wrong } from './finding.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the installation and say what is wrong',
  options: serveFlags.filter((each) => /^--(host|port|workers) /.test(each.flags)),
  example: 'orrery doctor --json',
  run: async (context) => {
    const machine = await checkMachine(context.config);
    const database = await checkDatabase(context.config);
    const findings = [...machine, ...database.findings];
    const healthy = findings.every((each) => each.ok);
    const rows = findings.map((each) => [labelOf(each), each.check, `${each.detail} ${each.fix ?? ''}`]);
    const indexes = database.indexes.map(({ orgId, typeName, property, state, filled }) => ({
      org_id: orgId,
      object_type: typeName,
      property,
      state,
      filled,
    }));
    const storage = database.storage.map(({ orgId, bytes, quota }) => ({ org_id: orgId, bytes, quota }));
    const replication = database.replication && toJson(database.replication);
    const cluster =
      database.cluster?.map(({ address, takesRows, isReachable, parts }) => ({
        address,
        takes_rows: takesRows,
        reachable: isReachable,
        parts,
      })) ?? null;
    context.print({ healthy, findings, replication, cluster, indexes, storage }, table(rows));
    if (!healthy) {
      const named = findings.filter((each) => !each.ok).map((each) => each.check);
      throw new Failure('unhealthy', `Something is wrong: ${named.join(', ')}.`, 'Each line above says what to do.');
    }
  },
};

function toJson(replication: Replication) {
  const standbys = replication.kind === 'primary' ? replication.standbys : [];
  return {
    ...lossOf(replication),
    standbys: standbys.map(({ name, mode, isStreaming, bytesBehind, secondsBehind, bytesToApply }) => ({
      name,
      sync_state: mode,
      streaming: isStreaming,
      bytes_behind: bytesBehind,
      seconds_behind: secondsBehind,
      bytes_to_apply: bytesToApply,
    })),
  };
}

function labelOf({ ok, fix }: Finding): string {
  if (!ok) return 'WRONG';
  return fix === undefined ? 'ok' : 'note';
}

async function checkDatabase(config: Config): Promise<Checked> {
  const nothing = { replication: null, cluster: null, indexes: [], storage: [] };
  const only = (finding: Finding): Checked => ({ findings: [finding], ...nothing });
  if (!(await databaseExists(config.place))) {
    return only(well('database', 'The data folder contains no database yet; the first start creates it.'));
  }
  let database: Database;
  try {
    database = await openUnmigrated(config.place);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return only(wrong('database', error.message, error.fix));
  }
  try {
    return await checkOpenDatabase(config, database);
  } finally {
    await database.close();
  }
}
