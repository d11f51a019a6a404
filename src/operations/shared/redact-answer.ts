// A kept answer after an erasure: it still tells what was done, and no longer with which values. An answer about an erased
// record keeps its id, type, version and dates. Problems of a batch lose their texts, which quote what was refused: nobody
// knows whose value that was. They keep code, reason and place, by which a client decides.
import type { Json } from '../../base/json.ts';

/** As `answerForm` writes it: `data` is JSON text, and `long` names values that are stored elsewhere. */
interface KeptAnswer {
  readonly data: string;
  readonly long?: Json;
}

type Members = Readonly<Record<string, Json>>;

/** The answer without values of these records, and without those that were refused. */
export function redactAnswer(text: string, erased: ReadonlySet<string>): string {
  const { data, long, ...rest } = JSON.parse(text) as KeptAnswer;
  const value = JSON.parse(data) as Members;
  if (Array.isArray(value['results'])) {
    return JSON.stringify({ ...rest, data: JSON.stringify(withoutQuotes(value)) });
  }
  if (typeof value['id'] !== 'string' || !erased.has(value['id'])) return text;
  const redacted = { ...value, properties: datesOf(value['properties'] as Members) };
  return JSON.stringify({ ...rest, data: JSON.stringify(redacted) });
}

function datesOf(properties: Members): Members {
  const isDate = (name: string) => name === 'svc_created_at' || name === 'svc_updated_at';
  return Object.fromEntries(Object.entries(properties).filter(([name]) => isDate(name)));
}

const redactedDetail = 'This text was removed when a record was erased.';

/** The results of a batch without the texts of problems. */
export function withoutQuotes<Data extends object>(data: Data): Data {
  const { results = [] } = data as { readonly results?: readonly Members[] };
  return {
    ...data,
    results: results.map((result) =>
      result['problem'] === undefined ? result : { ...result, problem: redactProblem(result['problem'] as Members) },
    ),
  };
}

function redactProblem(problem: Members): Members {
  const { errors } = problem as { readonly errors?: readonly Members[] };
  return {
    ...problem,
    detail: redactedDetail,
    ...(errors === undefined ? {} : { errors: errors.map((error) => ({ ...error, detail: redactedDetail })) }),
  };
}
