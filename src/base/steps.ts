// Long work in steps, between which it can stop and let others go first.

/** Work that can stop after each step; it ends with its result. */
export type Steps<T> = Generator<undefined, T>;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
