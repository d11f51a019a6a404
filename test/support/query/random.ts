// Chance that can be repeated: everything that the tests of query generate comes from one seed, which each file prints
// when it starts and with each failure. QUERY_SEED=… runs the same again.

export { Random } from '../random.ts';

/** The seed of this run, printed for whoever reads its output. */
export function announceSeed(file: string): number {
  const given = process.env['QUERY_SEED'];
  const seed = given === undefined || given === '' ? Math.floor(Math.random() * 4_294_967_296) : Number(given);
  if (!Number.isInteger(seed)) throw new Error(`QUERY_SEED must be an integer, and is ${given}.`);
  console.info(`${file}: QUERY_SEED=${seed}`);
  return seed;
}
