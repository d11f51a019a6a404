// What a table asks: of the view in its address, the first page and all that follow.
import type { AnySchema, Query } from '../../../client/main.ts';
import type { TypeDetail } from '../../data/schema.ts';
import { readEarly } from '../../data/use-rows.ts';
import { questionOf, readView, type View } from '../../data/view.ts';

const pageSize = 100;

export function tableQuestion(type: TypeDetail, view: View): Query<AnySchema, string> {
  return questionOf(type, view, pageSize);
}

/** Asks for the first page before the table is drawn. */
export function askEarly(type: TypeDetail): void {
  readEarly(type.name, tableQuestion(type, readView(location.search)));
}
