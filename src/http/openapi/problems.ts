// Problems as the OpenAPI document describes them: their shape, and one response per code in the table of codes.
import { bounds } from '../../base/limits.ts';
import { type ProblemCode, problemCodes } from '../../base/problem.ts';
import { problemExamples } from '../../operations/examples/problems.ts';
import { exampleOrigin, exampleRequestId } from '../../operations/examples/records.ts';
import { problemBody } from '../../operations/shared/problem-body.ts';
import { headerReferences } from './headers.ts';

const problemHeaders: Partial<Record<ProblemCode, Parameters<typeof headerReferences>[0]>> = {
  unauthenticated: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  rate_limited: ['Retry-After'],
  unavailable: ['Retry-After'],
};

export function printProblem(code: ProblemCode): Readonly<Record<string, unknown>> {
  const { status, title, reasons } = problemCodes[code];
  const known = reasons.length === 0 ? '' : ` Current reasons: ${reasons.map((each) => `\`${each}\``).join(', ')}.`;
  return {
    description: `${title}.${known}`,
    headers: headerReferences(problemHeaders[code] ?? []),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            {
              type: 'object',
              properties: { code: { type: 'string', const: code }, status: { type: 'integer', const: status } },
            },
          ],
        },
        examples: Object.fromEntries(
          problemExamples
            .filter(([, problem]) => problem.code === code)
            .map(([summary, problem]) => [
              problem.reason ?? code,
              { summary, value: problemBody(problem, exampleOrigin, exampleRequestId) },
            ]),
        ),
      },
    },
  };
}

export const problemSchema = {
  type: 'object',
  description:
    'An error (RFC 9457). `code` is from a closed list and determines the status; `reason` says more, and new reasons ' +
    'can appear at any time. Show `detail` to people, and let programs read `code` and `reason`.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'The address of the section on this code in the documentation, which says what to do.',
    },
    title: { type: 'string', description: 'The meaning of the code; the same for every problem with this code.' },
    status: {
      type: 'integer',
      description: 'The status of the response or, in a batch, of the item.',
      enum: [...new Set(Object.values(problemCodes).map((each) => each.status))],
    },
    detail: { type: 'string', description: 'What was wrong, what was expected, and what to do.' },
    code: { type: 'string', enum: Object.keys(problemCodes) },
    reason: { type: 'string', description: 'The precise cause; absent if the code says everything.' },
    request_id: { type: 'string', description: 'The same as the header Svc-Request-Id.' },
    errors: {
      type: 'array',
      description: `All errors in the request, at most ${bounds.base.faultsReported}, each with its location.`,
      maxItems: bounds.base.faultsReported,
      items: {
        type: 'object',
        required: ['reason', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'The location in the body: an RFC 6901 pointer, empty for the whole body.',
          },
          parameter: { type: 'string', description: 'The name of the parameter or header.' },
          property: { type: 'string', description: 'The name of the property.' },
          reason: { type: 'string' },
          detail: { type: 'string' },
          expected: {
            type: 'object',
            additionalProperties: {},
            description: 'A JSON Schema that the value must match.',
          },
          allowed: { type: 'array', items: { type: 'string' }, description: 'The allowed values.' },
          nearest: { type: 'string', description: 'The most similar name that the key can see.' },
        },
      },
    },
    conflict: {
      type: 'object',
      description: 'The unique value or external id that is already taken, and the record that has it.',
      required: ['object_type'],
      properties: {
        object_type: { type: 'string' },
        property: { type: 'string', description: 'The unique property; absent for an external id.' },
        existing_id: { type: 'string', description: 'The record that has the value, if the key can see it.' },
      },
    },
  },
};
