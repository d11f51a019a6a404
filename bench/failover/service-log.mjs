// What a service has logged as errors of its own: a database that is away for a while makes none.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const ofOurs = /^\{"level":"(error|fatal)"/;

/** Each message once, with how often it came and its first line. */
export async function errorFindings(way, file) {
  const found = new Map();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!ofOurs.test(line)) continue;
    const message = messageOf(line);
    const { count = 0, first = line } = found.get(message) ?? {};
    found.set(message, { count: count + 1, first });
  }
  return [...found].map(
    ([message, { count, first }]) => `the service by ${way}: "${message}" ${count} times: ${first}`,
  );
}

function messageOf(line) {
  const { msg, err } = JSON.parse(line);
  return err === undefined ? msg : `${msg}: ${err.message}`;
}
