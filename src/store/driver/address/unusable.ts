// Why a server cannot be used, in one sentence for the person who named it.
import pg from 'pg';
import { Failure } from '../../../base/failure.ts';
import { Problem } from '../../../base/problem.ts';
import { errorCode } from '../../pg-error.ts';
import { NoWrites } from '../reach.ts';

/** What an operator does about a standby in the place of a primary. */
export const standbyFix =
  'Name the primary in the database address, or all servers with target_session_attrs=read-write.';

/** What no other try of the same address can change. */
const lasting: Readonly<Record<string, string>> = {
  '28P01': 'The password is wrong.',
  '28000': 'The server does not allow this user to connect (see its pg_hba.conf).',
  '3D000': 'There is no such database; create it first.',
};

const refusals: Readonly<Record<string, string>> = {
  ...lasting,
  '42501': 'Its user lacks a right: it must own the schema "orrery", or be allowed to create it.',
};

export function unusable(place: string, error: unknown): unknown {
  const cause = error instanceof Problem ? error.cause : error;
  if (cause instanceof Failure) return cause;
  const known = refusals[errorCode(cause) ?? ''];
  if (known === undefined && !(error instanceof Problem) && !isTlsFault(cause)) return error;
  const why = known ?? (isTlsFault(cause) ? `TLS failed: ${(cause as Error).message}.` : refusalOf(cause));
  return new Failure(
    'database_unreachable',
    `The PostgreSQL server at ${place} cannot be used. ${why}`,
    fixOf(cause),
    error,
  );
}

/** Whether a server has answered something to a new connection, even if it refuses the connection. */
export function hasAnswered(error: unknown): boolean {
  return error instanceof pg.DatabaseError || isTlsFault(error);
}

/** Whether a server will answer the same to every other attempt. */
export function isLasting(error: unknown): boolean {
  return (errorCode(error) ?? '') in lasting || isTlsFault(error);
}

function refusalOf(cause: unknown): string {
  if (cause instanceof NoWrites) return 'It is a standby, which takes no writes.';
  return cause instanceof pg.DatabaseError ? `It answers: ${cause.message}.` : 'Nothing answers there.';
}

function fixOf(cause: unknown): string {
  if (cause instanceof NoWrites) return standbyFix;
  return errorCode(cause) === '42501'
    ? 'If it is not to change tables, run "orrery db migrate" as the user who owns them: see the guide, "Operate", "Rights in the database".'
    : 'Check DATABASE_URL and that the server runs, or leave it out to use the embedded database.';
}

function isTlsFault(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  return (
    error instanceof Error &&
    (/CERT|SSL|TLS|SELF_SIGNED|ALTNAME/.test(code) || /SSL connections|certificate/.test(error.message))
  );
}
