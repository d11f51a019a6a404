// A race that was lost: what the unit of work believed is no longer so. Its transaction is rolled back and it runs anew.
import { isMadeMeanwhile } from '../../store/pg-error.ts';

export class Contested extends Error {
  override readonly name = 'Contested';
}

export function isContested(error: unknown): boolean {
  return error instanceof Contested || isMadeMeanwhile(error);
}
