// Choices that a seed decides, for generated requests: a failure is repeated with the seed that its test prints.

export { Random } from '../random.ts';

/** The seed that the environment names, or a new one; printed, so that a failure can be repeated. */
export function seedFrom(variable: string): number {
  const given = process.env[variable];
  const seed = given === undefined || given === '' ? Math.floor(Math.random() * 1_000_000_000) : Number(given);
  console.info(`${variable}=${seed}`);
  return seed;
}
