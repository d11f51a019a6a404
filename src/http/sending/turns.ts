// Turns in which the pieces of long answers are written: a few in each pass of the event loop, and those who get them in
// turn. A hundred answers that become ready together would otherwise keep everybody else waiting.
import { bounds } from '../../base/limits.ts';
import type { ByteOwner } from '../../engine/shares/bytes.ts';

interface SendingTurns {
  /** Writes the piece now, or when it is its turn. */
  take(owner: ByteOwner, write: () => void): void;
}

export function openSendingTurns(nextPass: (run: () => void) => unknown = setImmediate): SendingTurns {
  /** The first owner in the map has the next turn. */
  const owners = new Map<ByteOwner, (() => void)[]>();
  /** Pieces that were written in this pass. */
  let written = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    nextPass(() => {
      isScheduled = false;
      written = 0;
      while (written < bounds.http.piecesAtOnce && owners.size > 0) giveTurn();
      if (owners.size > 0) schedule();
    });
  };

  const giveTurn = (): void => {
    const [first] = owners;
    if (first === undefined) return;
    const [owner, waiting] = first;
    const write = waiting.shift();
    owners.delete(owner);
    if (waiting.length > 0) owners.set(owner, waiting);
    written++;
    write?.();
  };

  return {
    take: (owner, write) => {
      schedule();
      if (owners.size === 0 && written < bounds.http.piecesAtOnce) {
        written++;
        write();
        return;
      }
      const waiting = owners.get(owner) ?? [];
      waiting.push(write);
      owners.set(owner, waiting);
    },
  };
}
