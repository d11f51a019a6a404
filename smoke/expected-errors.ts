// Compares what the compiler says about `types/refused.ts` with what the comments of that file expect of each statement.

interface Expectation {
  /** The line of the comment; the statement follows. */
  readonly line: number;
  /** The code and a part of the message. */
  readonly code: string;
  readonly message: string;
}

/** A comment `why: TS2322 part of the message` stands before each statement. */
export function expectations(source: string): readonly Expectation[] {
  return source.split('\n').flatMap((text, index) => {
    const [, code, message] = /^\s*\/\/ .+: (TS\d+) (.+)$/.exec(text) ?? [];
    return code === undefined || message === undefined ? [] : [{ line: index + 1, code, message }];
  });
}

/** Statements that compile or are refused for another reason, and errors that are about no statement. */
export function differences(source: string, told: string): readonly string[] {
  const expected = expectations(source);
  const met = new Set<Expectation>();
  const surprises = told.split(/\n(?! )/).filter((error) => {
    const [, line = '0', code] = /^\S*refused\.ts\((\d+),\d+\): error (TS\d+):/.exec(error) ?? [];
    const about = expected.findLast((each) => each.line < Number(line));
    if (about !== undefined && about.code === code && error.includes(about.message)) met.add(about);
    return about === undefined && error !== '';
  });
  const missing = expected.filter((each) => !met.has(each));
  return [
    ...missing.map(({ line, code, message }) => `Line ${line} is not refused with ${code} ${message}`),
    ...surprises,
  ];
}
