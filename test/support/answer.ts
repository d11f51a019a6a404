// An answer as tests read it, and the options of its request.

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Statuses of 500 and above that the test expects. */
  readonly allowFault?: true;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

/** The members of a body that tests read. The contract checks all others. */
export interface Body {
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any answer; the contract has checked its shape.
  readonly data: any;
  readonly request_id: string;
  readonly code?: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly status?: number;
  readonly type?: string;
  readonly dry_run?: boolean;
  readonly pagination?: { readonly next_cursor: string | null; readonly changes_cursor?: string };
  readonly conflict?: { readonly object_type: string; readonly property: string; readonly existing_id?: string };
  readonly errors?: readonly {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly property?: string;
    readonly expected?: unknown;
    readonly reason: string;
    readonly detail: string;
    readonly nearest?: string;
    readonly allowed?: readonly unknown[];
  }[];
}
