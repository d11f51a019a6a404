// The list that a record was opened from, so that its page leads to the one before and after it.
let list: { readonly type: string; readonly ids: readonly string[] } = { type: '', ids: [] };

export function rememberList(type: string, ids: readonly string[]): void {
  list = { type, ids };
}

export function neighboursOf(type: string, id: string): { readonly before?: string; readonly after?: string } {
  const at = list.type === type ? list.ids.indexOf(id) : -1;
  if (at < 0) return {};
  const [before, after] = [list.ids[at - 1], list.ids[at + 1]];
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}
