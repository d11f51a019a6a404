// Lowers bounds of the service for a test, so that a few records are treated like many.
import { bounds } from '../../src/base/limits.ts';

type Room = keyof typeof bounds;
type Lowered = { readonly [Name in Room]?: Partial<Record<keyof (typeof bounds)[Name], number>> };

/** Returns a function that resets them: test files share the loaded program, so every caller must call it. */
export function lowerBounds(lowered: Lowered): () => void {
  const rooms = Object.keys(lowered) as Room[];
  const usual = rooms.map((room) => ({ ...bounds[room] }));
  for (const room of rooms) Object.assign(bounds[room], lowered[room]);
  return () => {
    for (const [index, room] of rooms.entries()) Object.assign(bounds[room], usual[index]);
  };
}
