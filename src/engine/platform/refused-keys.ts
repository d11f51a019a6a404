// Notes in the audit that a key was refused: in the background, and at most once a minute for each key that was revoked or
// has expired, or for each network that sends keys which do not exist. What was typed is not noted.
import { parseKey } from '../../access/api-key.ts';
import { bounds } from '../../base/limits.ts';
import type { Problem } from '../../base/problem.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import { locateKey } from '../../store/org/credentials.ts';
import { findOrg } from '../../store/org/orgs.ts';
import { systemCall, type WorkingEngine } from '../process/call.ts';
import { openLateNotes } from '../process/late-notes.ts';
import { networkOf } from '../shares/network.ts';
import { commit } from '../unit/transact.ts';
import { Administration } from './administration.ts';

export interface RefusedKeys {
  /** `header` is what was sent to authenticate. */
  note(header: string | undefined, refusal: Problem, address: string): void;
  close(): Promise<void>;
}

interface Refused {
  readonly orgId: number;
  readonly credentialId: string;
  readonly reason: string;
  readonly address: string;
}

export function openRefusedKeys(engine: WorkingEngine, onFault: (error: unknown) => void): RefusedKeys {
  const notes = openLateNotes<Refused>({
    clock: engine.clock,
    everyMs: bounds.engine.keyNotedMs,
    write: (refused) => writeEntry(engine, refused),
    onFault,
  });
  return {
    note: (header, { reason = '' }, address) => {
      const named = parseKey(header?.replace(/^bearer +/i, '').trimEnd() ?? '');
      if (named === undefined) return;
      const { orgId, credentialId } = named;
      // Anybody can invent a key, so those that do not exist count as one for each network.
      const counted = reason === 'key_unknown' ? `network ${networkOf(address)}` : credentialId;
      notes.note(counted, { orgId, credentialId, reason, address });
    },
    close: () => notes.close(),
  };
}

async function writeEntry(engine: WorkingEngine, { orgId, credentialId, reason, address }: Refused): Promise<void> {
  // Anybody can invent the number of an org, too: that must not reach the connections that everybody waits for.
  if ((await findOrg(engine.database, orgId)) === undefined) return;
  const known = await engine.directory.find(orgId);
  const type = known?.typesById.get(platformTypes.accessKey);
  if (known === undefined || type === undefined) return;
  await commit(
    { ...systemCall(engine, known), address },
    async (unit) => {
      const id = await locateKey(unit.transaction, orgId, credentialId);
      const about = id === undefined ? {} : { about: { type, id } };
      unit.book(Administration).note({ action: 'access_key.refused', detail: reason, ...about });
    },
    'assumed',
  );
}
