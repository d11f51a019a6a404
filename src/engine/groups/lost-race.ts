// A lost race: another transaction has changed what a unit of work relied on. Its transaction is rolled back and the
// unit runs again.
import { isMadeMeanwhile } from '../../store/pg-error.ts';

export class LostRace extends Error {
  override readonly name = 'LostRace';
}

export function isLostRace(error: unknown): boolean {
  return error instanceof LostRace || isMadeMeanwhile(error);
}
