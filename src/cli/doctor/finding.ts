// What one check of doctor found.

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do: about what is wrong, or about what is well and may not stay so. */
  readonly fix?: string;
}

export function well(check: string, detail: string, fix?: string): Finding {
  return { check, ok: true, detail, ...(fix === undefined ? {} : { fix }) };
}

export function wrong(check: string, detail: string, fix: string): Finding {
  return { check, ok: false, detail, fix };
}
