// What is wrong with an answer to a generated request: anything that the document does not declare, an error of the
// service's own, and anything that shows its inside: a stack, a path of its machine, a statement.
import type { Answer } from '../answer.ts';
import type { Contract } from '../contract.ts';
import { checkEveryAnswer } from '../every-answer.ts';
import { payloads } from '../leaks/payloads.ts';
import type { GeneratedRequest } from './generated-requests.ts';

/** Texts that only the inside of the service has. */
const inside = [
  /\bat (?:async )?[\w.<>$]+ \(?[\w:/.-]+:\d+:\d+/,
  /node_modules|node:internal|file:\/\/\S+/,
  /\/(?:home|root|tmp|usr|var|opt|proc|etc)\/\w+/,
  /\b(?:src|dist)\/[\w/-]+\.m?[jt]s\b/,
  /\borrery\.[a-z_]+/,
  /\b(?:select|insert|update|delete)\b[^"]{1,200}\b(?:from|into|set|where)\b[^"]{1,100}\b(?:where|values|returning|and)\b/,
  /syntax error at|violates \w+ constraint|duplicate key value|SQLSTATE|invalid input syntax|deadlock detected/,
  /\b(?:relation|column|constraint) \\?"|\bpg_[a-z]{3,}|canceling statement|could not serialize/,
  /\b(?:Type|Range|Reference|Syntax|Assertion)Error\b|Cannot read propert|is not a function|is not iterable/,
  /\bE(?:CONN\w+|PIPE|NOENT|ACCES)\b|\[object Object\]/,
];

const known = payloads.map((payload) => (typeof payload === 'string' ? payload : JSON.stringify(payload)));

/** `told` is the answer's error in one line; its beginning names the kind of finding. */
export function answerFindings(
  contract: Contract,
  request: GeneratedRequest,
  answer: Answer,
  key: string | undefined,
): readonly string[] {
  const { method, path } = request;
  const findings: string[] = [];
  if (answer.status >= 500 && !isPolite(answer)) findings.push(`status ${answer.status}: ${answer.text.slice(0, 500)}`);
  for (const check of [() => checkEveryAnswer(method, answer, key), () => contract.check(method, path, answer)]) {
    try {
      check();
    } catch (error) {
      findings.push(`not as documented: ${String((error as Error).message).slice(0, 1_000)}`);
    }
  }
  const seen = insideOf(request, answer);
  return seen === undefined ? findings : [...findings, `shows its inside: ${seen}`];
}

/** The service has too much to do just now, and says when to ask again. */
export function isPolite({ status, body, headers }: Answer): boolean {
  const isBusy = status === 429 || (status === 503 && body?.reason === 'overloaded');
  return isBusy && Number(headers.get('retry-after')) > 0;
}

/** A text of the inside, unless the request itself had it, or an earlier one that stored a payload. */
function insideOf(request: GeneratedRequest, answer: Answer): string | undefined {
  // The document is the same for everybody, and names what it likes.
  if (answer.text === '' || answer.text.startsWith('{"openapi"')) return undefined;
  // Cursors and ids of entries are random letters, which can be any word.
  const readable = answer.text.replaceAll(/"(id|next_cursor|changes_cursor)":"[\w-]*"/g, '');
  for (const pattern of inside) {
    const [text] = pattern.exec(readable) ?? [];
    if (text === undefined || known.some((payload) => payload.includes(text))) continue;
    const asked = `${decodeURIComponent(request.path)} ${JSON.stringify(request.headers)} ${request.body?.toString() ?? ''}`;
    if (!asked.includes(text)) return text;
  }
  return undefined;
}
