// Standard output for results that may be larger than memory: a piece is written when the one before it has been read. If
// the reader goes away, the command closes what it has open and ends.

interface Output {
  /** Resolves when the piece is written; rejects if it cannot be. */
  write(text: string): Promise<void>;
  /** The error of standard output, if it failed. */
  error(): NodeJS.ErrnoException | undefined;
  close(): void;
}

export function openOutput(): Output {
  const { stdout } = process;
  let failure: NodeJS.ErrnoException | undefined;
  const note = (error: NodeJS.ErrnoException) => {
    failure ??= error;
  };
  // main.ts exits immediately when nobody reads; a command that uses this closes the database first.
  const others = stdout.rawListeners('error') as ((error: Error) => void)[];
  stdout.removeAllListeners('error').on('error', note);
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stdout.write(text, (error) => {
          if (error) note(error);
          if (error) reject(error);
          else resolve();
        });
      }),
    error: () => failure,
    close: () => {
      stdout.off('error', note);
      for (const other of others) stdout.on('error', other);
    },
  };
}
