// The examples of an operation as the OpenAPI document shows them: bodies and answers by name, and for each parameter
// the value from the first example that sends it.
import { exampleRequestId, isPlaceholder } from '../../operations/examples/records.ts';
import type { Operation } from '../../operations/operation.ts';
import { answerReply } from '../respond.ts';
import { bodyText } from '../sending/pieces.ts';

type Node = Readonly<Record<string, unknown>>;

/** The request bodies. */
export function bodyExamples({ examples }: Operation): Node {
  return Object.fromEntries(
    Object.entries(examples).map(([name, { summary, body }]) => [name, { summary, value: body }]),
  );
}

/** The answers of one status, each in its envelope. */
export function answerExamples(operation: Operation, status: number): Node {
  const shown = Object.entries(operation.examples).flatMap(([name, { summary, answer }]) => {
    if (answer === undefined) return [];
    const reply = answerReply(answer, operation.answer.status, exampleRequestId);
    return reply.status === status ? [[name, { summary, value: JSON.parse(bodyText(reply.body)) }] as const] : [];
  });
  return Object.fromEntries(shown);
}

/**
 * The value of a parameter and whether tools should fill it in: they fill in the `example` of a parameter, so it is used
 * only for a value that the first example sends and the reader need not replace. Other values are shown in the schema.
 */
export function parameterExample({ examples }: Operation, place: 'path' | 'query' | 'headers', name: string) {
  const sent = Object.values(examples).map((example) => (example[place] as Record<string, string> | undefined)?.[name]);
  const value = sent.find((each) => each !== undefined);
  return { value, isFilledIn: value !== undefined && value === sent[0] && !isPlaceholder(value) };
}
