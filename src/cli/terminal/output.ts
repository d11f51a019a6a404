// Standard output for what may be longer than memory: a piece is written when the one before it has been taken. One who
// stops reading is no fault; whoever writes hears of it, closes what is open, and leaves.

export interface Output {
  /** Resolves when the piece has been taken; rejects when it cannot be. */
  write(text: string): Promise<void>;
  /** What standard output failed with. */
  fault(): NodeJS.ErrnoException | undefined;
  close(): void;
}

export function openOutput(): Output {
  const { stdout } = process;
  let fault: NodeJS.ErrnoException | undefined;
  const note = (error: NodeJS.ErrnoException) => {
    fault ??= error;
  };
  // The front door leaves at once when nobody reads; here the database is closed first.
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
    fault: () => fault,
    close: () => {
      stdout.off('error', note);
      for (const other of others) stdout.on('error', other);
    },
  };
}
