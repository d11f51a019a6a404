// The import of this tab. It goes on while other pages are open, so it belongs to no page; another person, or another org, has
// another one.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useSession } from '../../app/session.ts';
import type { Choice, ImportState, Plan } from '../../data/import/messages.ts';
import { ImportSession } from '../../data/import/session.ts';
import { isUnderWay, type Step } from './steps.ts';

/** What the person has chosen, and where they are. */
interface Place {
  readonly choice: Choice;
  readonly step: Step;
  /** The file that could not be read. */
  readonly refusedFile?: string;
}

interface Held {
  readonly owner: string;
  readonly session: ImportSession;
  place: Place | undefined;
  /** Resolves when what was chosen last is planned. */
  planned: Promise<void>;
  /** The type that the import is about which runs, or was the last one. */
  runType: string | undefined;
}

let held: Held | undefined;

function heldBy(orgId: number, memberId: string): Held {
  const owner = `${orgId} ${memberId}`;
  if (held?.owner === owner) return held;
  held?.session.close();
  const session = new ImportSession({ orgId, memberId });
  held = { owner, session, place: undefined, planned: Promise.resolve(), runType: undefined };
  return held;
}

/** What a person can begin. An import that is kept can be about another type than the page. */
export type Run = 'check' | 'start' | 'replace' | 'go on' | 'send again' | 'leave out' | 'undo';

export interface HeldImport {
  readonly session: ImportSession;
  readonly state: ImportState;
  readonly choice: Choice;
  readonly wanted: Step;
  readonly refusedFile: string | undefined;
  readonly choose: (choice: Choice) => void;
  readonly open: (file: File) => void;
  readonly go: (step: Step) => void;
  readonly run: (run: Run) => void;
  readonly runType: string | undefined;
  /** The plan of what was chosen last, once it is made. */
  readonly planned: () => Promise<Plan | undefined>;
}

export function useHeldImport(typeName: string): HeldImport {
  const signedIn = useSession();
  if (signedIn.phase !== 'signed-in') throw new Error('Nobody is signed in.');
  const own = heldBy(signedIn.who.org_id, signedIn.who.member.id);
  const { session } = own;
  const state = useSyncExternalStore(session.subscribe, session.state);
  const [place, setPlace] = useState<Place>(() => placeFor(typeName, own.place));
  const become = (next: Place) => {
    own.place = next;
    setPlace(next);
  };
  const { choice, step } = place;
  const isOfOther = state.plan !== undefined && state.plan.typeName !== typeName;
  const isFree = state.progress === undefined || !isUnderWay(state.progress);
  useEffect(() => {
    if (isOfOther && isFree) void session.plan(choice);
  }, [session, choice, isOfOther, isFree]);
  const open = async (file: File) => {
    const fresh: Place = { choice: { typeName, columns: {}, written: {} }, step: 'columns' };
    become(fresh);
    await session.open(file);
    if (session.state().failure === undefined) await session.plan(fresh.choice);
    if (session.state().failure !== undefined) become({ ...fresh, step: 'file', refusedFile: file.name });
  };
  const begin = async (wanted: Run) => {
    const kept = session.state().saved?.typeName ?? typeName;
    own.runType = wanted === 'check' || wanted === 'start' || wanted === 'replace' ? typeName : kept;
    become({ choice, step: wanted === 'check' ? 'check' : 'import' });
    await commandOf(session, wanted);
    // What could not begin leaves the person where they were.
    const { failure, progress } = session.state();
    const isBegun = progress !== undefined && (progress.kind === 'dry run') === (wanted === 'check');
    if (failure !== undefined && !isBegun) become({ choice, step: progress?.kind === 'dry run' ? 'check' : 'columns' });
  };
  return {
    session,
    state,
    choice,
    wanted: step,
    refusedFile: place.refusedFile,
    choose: (next) => {
      become({ choice: next, step });
      own.planned = session.plan(next);
    },
    open: (file) => void open(file),
    go: (next) => become({ choice, step: next }),
    run: (wanted) => void begin(wanted),
    runType: own.runType,
    planned: async () => {
      await own.planned;
      return session.state().plan;
    },
  };
}

function commandOf(session: ImportSession, wanted: Run): Promise<void> {
  if (wanted === 'check') return session.dryRun();
  if (wanted === 'start') return session.start();
  if (wanted === 'replace') return session.start(session.state().saved?.id);
  if (wanted === 'undo') return session.undo();
  return wanted === 'go on' ? session.goOn() : session.goOn(wanted);
}

/** How the file is written stays true for another type; what its columns become does not. */
function placeFor(typeName: string, before: Place | undefined): Place {
  if (before?.choice.typeName === typeName) return before;
  const step = before === undefined || before.step === 'file' ? 'file' : 'columns';
  return { choice: { typeName, columns: {}, written: before?.choice.written ?? {} }, step };
}
