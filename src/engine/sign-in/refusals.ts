// Notes in the audit that somebody was not let in: in the background, and at most once a minute for each account or address.
// What was typed is not noted.
import { bounds } from '../../base/limits.ts';
import { platformTypes } from '../../schema/roles/platform.ts';
import { Administration } from '../platform/administration.ts';
import { systemCall, type WorkingEngine } from '../process/call.ts';
import { openLateNotes } from '../process/late-notes.ts';
import { networkOf } from '../shares/network.ts';
import { commit } from '../unit/transact.ts';
import { knownOrg } from './visitor.ts';

interface Refused {
  readonly orgId: number;
  /** The member whose account it was; undefined if nobody knows. */
  readonly memberId: string | undefined;
  readonly detail: string;
  readonly address: string;
}

export interface SignInRefusals {
  note(refused: Refused): void;
  close(): Promise<void>;
}

export function openSignInRefusals(engine: WorkingEngine, onFault: (error: unknown) => void): SignInRefusals {
  const notes = openLateNotes<Refused>({
    clock: engine.clock,
    everyMs: bounds.engine.keyNotedMs,
    write: (refused) => writeEntry(engine, refused),
    onFault,
  });
  return {
    note: (refused) => {
      const { orgId, memberId, address } = refused;
      // Accounts that do not exist count as one for each network: anybody can invent them.
      notes.note(`${orgId} ${memberId ?? networkOf(address)}`, refused);
    },
    close: () => notes.close(),
  };
}

async function writeEntry(engine: WorkingEngine, { orgId, memberId, detail, address }: Refused): Promise<void> {
  const known = await knownOrg(engine, orgId);
  const type = known?.typesById.get(platformTypes.member);
  if (known === undefined || type === undefined) return;
  const about = memberId === undefined ? {} : { about: { type, id: memberId } };
  await commit(
    { ...systemCall(engine, known), address },
    async (unit) => unit.book(Administration).note({ action: 'session.refused', detail, ...about }),
    'assumed',
  );
}
