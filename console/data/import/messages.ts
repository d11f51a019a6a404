// What the page and the worker of an import tell each other. All of it is plain data, so that it can be sent and stored. The
// page itself speaks to `ImportSession` alone.
import type { ExternalUse, Guessable, LinkUse, UnitUse } from '../../../client/import/column-use.ts';

/** How the cells of a column, or of all columns, are written. Absent: as the cells themselves tell. */
export interface WrittenAs {
  /** The name of a format, such as DD/MM/YYYY. */
  readonly dates?: string;
  readonly decimal?: '.' | ',';
  /** The country of phone numbers without a calling code. */
  readonly country?: string;
  /** The currency of amounts without one: pages do not know that of the org. */
  readonly currency?: string;
  /** The IANA name of the zone of times without an offset; UTC if it is absent. */
  readonly timeZone?: string;
}

/** What a column of the file is used for. */
export type ColumnUse = PropertyUse | UnitUse | LinkUse | ExternalUse | IgnoredUse;

interface PropertyUse extends WrittenAs, Guessable {
  readonly kind: 'property';
  readonly property: string;
}

interface IgnoredUse {
  readonly kind: 'ignored';
  /** Absent if a person has decided it. */
  readonly why?: string;
}

/** What a person has chosen; everything else is guessed. */
export interface Choice {
  readonly typeName: string;
  /** By the index of the column. */
  readonly columns: Readonly<Record<number, ColumnUse>>;
  /** The unique property, or 'external_id', by which a row finds the record that it changes. Absent: every row creates one. */
  readonly match?: string;
  /** For all columns that have no style of their own. */
  readonly written: WrittenAs;
}

export interface OpenedFile {
  readonly name: string;
  readonly bytes: number;
  readonly encoding: string;
  readonly delimiter: string;
  readonly headers: readonly string[];
  /** The first rows after the header, at most 20. */
  readonly rows: readonly (readonly string[])[];
  /** Rows above the header, which are notes of the program that wrote the file. */
  readonly notesSkipped: number;
  readonly rowCount: number;
}

export interface Plan {
  readonly typeName: string;
  readonly columns: readonly PlannedColumn[];
  readonly match: string | undefined;
  /** The properties, or 'external_id', that could be matched by: a column has them. */
  readonly matches: readonly string[];
  /** Why the import cannot begin; nothing stands in its way if there are none. */
  readonly faults: readonly PlanFault[];
}

export interface PlannedColumn {
  readonly header: string;
  /** With the style that the cells of the column have told. */
  readonly use: ColumnUse;
  readonly decidedBy: 'person' | 'header';
  /** The first different cells that are not empty, at most 3. */
  readonly samples: readonly string[];
}

export interface PlanFault {
  /** The index of the column that it is about. */
  readonly column?: number;
  readonly detail: string;
  /** What a person has to say of the column, or of all: with the formats that fit its dates. */
  readonly choose?: 'decimal' | 'currency' | { readonly dates: readonly string[] };
}

/** The first rows as they would be sent. */
export interface Preview {
  readonly rows: readonly PreviewRow[];
}

export interface PreviewRow {
  readonly line: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly association: string; readonly text: string }[];
  readonly externalId?: string;
  readonly faults: readonly CellFault[];
}

export interface CellFault {
  /** The index of the column; absent if it is about the row. */
  readonly column?: number;
  readonly detail: string;
}

export interface Counts {
  /** Rows that are done, whatever became of them. */
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  /** Links of the rows that were taken, and links that were left out because no record, or more than one, is named so. */
  readonly linked: number;
  readonly unlinked: number;
  /** Records that were created because links needed them. */
  readonly targetsCreated: number;
}

export type RunKind = 'dry run' | 'import' | 'undo';

export interface Progress extends Counts {
  readonly kind: RunKind;
  readonly total: number;
  /** Of the last seconds; 0 while it is not known. */
  readonly rowsPerSecond: number;
  readonly secondsLeft: number | undefined;
  readonly state: 'running' | 'stopping' | 'stopped' | 'waiting' | 'in doubt' | 'done' | 'failed';
  /** Why it waits, stopped, failed or is in doubt, as a sentence. */
  readonly detail?: string;
  /** Of an undo: the batches that are taken back, of how many, and the records that stay because of later changes. */
  readonly undone?: {
    readonly batches: number;
    readonly of: number;
    readonly reverted: number;
    readonly kept: number;
    readonly refused: number;
  };
}

/** An import that this browser keeps: it can go on, its refused rows can be fetched, and it can be undone. */
export interface SavedRun {
  readonly id: string;
  readonly fileName: string;
  readonly typeName: string;
  readonly startedAt: string;
  readonly progress: Progress;
}

/** Everything that the page shows of an import. */
export interface ImportState {
  /** Undefined until this browser has looked; null if it keeps none. */
  readonly saved: SavedRun | null | undefined;
  /** Whether another tab imports, or takes an import back. */
  readonly isElsewhere: boolean;
  /** While a file is read. */
  readonly reading: { readonly bytes: number; readonly of: number } | undefined;
  readonly file: OpenedFile | undefined;
  readonly plan: Plan | undefined;
  readonly preview: Preview | undefined;
  /** Of the run that is under way, or was the last one. */
  readonly progress: Progress | undefined;
  /** Why the last command failed, as a sentence. */
  readonly failure: string | undefined;
}

/** What a person decides when nobody can tell whether the last batch was stored: see `goOn`. */
export type Doubt = 'send again' | 'leave out';

export type Command =
  | { readonly name: 'look' }
  | { readonly name: 'open'; readonly file: Blob; readonly fileName: string }
  | { readonly name: 'plan'; readonly choice: Choice }
  | { readonly name: 'dry run' | 'stop' | 'undo' | 'refused file' | 'forget' }
  /** `replaces` is the unfinished import that a person gives up for this one. */
  | { readonly name: 'start'; readonly replaces?: string }
  | { readonly name: 'go on'; readonly doubt?: Doubt };

/** What the page sends. */
export type ToWorker =
  | {
      readonly kind: 'begin';
      readonly url: string;
      /** Under which imports are kept: the org and the account. */
      readonly owner: string;
    }
  | { readonly kind: 'command'; readonly number: number; readonly command: Command }
  | { readonly kind: 'bearer'; readonly number: number; readonly bearer?: string; readonly refusal?: string };

/** What the worker sends. */
export type ToPage =
  | { readonly kind: 'state'; readonly changed: Partial<ImportState> }
  | { readonly kind: 'answer'; readonly number: number; readonly blob?: Blob; readonly failure?: string }
  /** The worker never has more than one bearer, and asks for it before each request. */
  | { readonly kind: 'bearer wanted'; readonly number: number }
  | { readonly kind: 'bearer refused'; readonly bearer: string };
