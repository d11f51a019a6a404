// What the cells of a field type look like: the contract of those that read them, and of the service's field types.
import type { CellStyle } from './cell-style.ts';

/** What a cell can say: anything that JSON can, for JSON can be in it. */
export type CellValue =
  | null
  | boolean
  | number
  | string
  | readonly CellValue[]
  | { readonly [name: string]: CellValue };

/** Why a cell has no value. `at` is the place inside the value: '' for the whole, '/1' for an element of a list. */
export interface CellFault {
  readonly reason: 'wrong_shape' | 'unknown_option';
  readonly at: string;
  readonly detail: string;
}

/** The content of a CSV cell: a value, which is still to be checked, or the reason why it has none. */
export type CellReading = { readonly value: CellValue } | { readonly fault: CellFault };

/** Reading a cell may also need the options of the property, and what is known of all cells of its column. */
export interface CellContext {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** Of amounts without one; undefined if such an amount has no currency. */
  readonly currency: string | undefined;
  readonly style: CellStyle;
}

/** Without these members a cell is text, read as it is. */
export interface CellForm {
  /** Spaces around the value are part of it; otherwise they are trimmed before the cell is read. */
  readonly keepsSpaces?: true;
  /** Is called with a cell that is not empty. */
  read?(cell: string, context: CellContext): CellReading;
}

export function misread(detail: string): { readonly fault: CellFault } {
  return { fault: { reason: 'wrong_shape', at: '', detail } };
}
