// A program of its own that computes digests of passwords for a serving process: each takes 128 MiB and a processor for a
// while, and neither may be missing where requests are answered. It ends with the process that has started it.
import { scrypt } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { bounds } from '../../base/limits.ts';

/** What is sent to the program, and what it sends back. Salts and digests are hexadecimal. */
export interface DigestTask {
  readonly id: number;
  readonly password: string;
  readonly salt: string;
  readonly cost: number;
}

export interface DigestDone {
  readonly id: number;
  readonly digest: string | undefined;
}

try {
  setPriority(constants.priority.PRIORITY_LOW);
} catch {
  // Not every system lets one do it, and then it competes with the others.
}
process.on('disconnect', () => process.exit(0));
// The terminal sends it to all processes, and the one that serves decides when this one ends.
process.on('SIGINT', () => {});
process.on('message', ({ id, password, salt, cost }: DigestTask) => {
  const { scryptBlock: r, scryptMemoryBytes: maxmem } = bounds.signIn;
  scrypt(password, Buffer.from(salt, 'hex'), 32, { N: cost, r, p: 1, maxmem }, (error, digest) => {
    const done: DigestDone = { id, digest: error === null ? digest.toString('hex') : undefined };
    process.send?.(done);
  });
});
