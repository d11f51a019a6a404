// Errors of the command line, as one closed table: each kind has its own exit status. A Failure is a sentence for a
// person and the step that fixes it. Errors of requests are Problems instead.

export const exitStatuses = {
  internal: 1,
  usage: 2,
  rows_refused: 3,
  invalid_configuration: 4,
  database_unreachable: 5,
  database_unsuitable: 6,
  data_folder: 7,
  engine_missing: 8,
  address_unavailable: 9,
  schema_newer: 10,
  invalid_file: 11,
  not_found: 12,
  node_too_old: 13,
  unhealthy: 14,
  storage_quota: 15,
} as const;

export type FailureKind = keyof typeof exitStatuses;

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  /** The step that fixes it, as a full sentence. */
  readonly fix: string;

  constructor(kind: FailureKind, sentence: string, fix: string, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.fix = fix;
  }

  get exitStatus(): number {
    return exitStatuses[this.kind];
  }
}
