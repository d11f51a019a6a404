// What a schema says about a value, in words: its type, and the limits of its content.
import { codeHtml } from '../html.ts';
import { referenceName, type Schema } from './openapi.ts';

export function typeText(schema: Schema): string {
  const { $ref, type, items, anyOf, enum: values, const: only, format, additionalProperties } = schema;
  if ($ref !== undefined) return referenceName($ref);
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeText))].join(' or ');
  if (type === 'array') return items === undefined ? 'array' : `array of ${plural(typeText(items))}`;
  if (type === 'string' && format !== undefined) return formats[format] ?? 'string';
  if (type === 'object' && typeof additionalProperties === 'object') return 'map';
  if (typeof type === 'string') return type;
  if (type !== undefined) return type.join(' or ');
  const allowed = values ?? (only === undefined ? [] : [only]);
  return [...new Set(allowed.map((value) => typeof value))].join(' or ') || 'any value';
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'date-time string',
  uri: 'URL',
  'uri-reference': 'path',
};

function plural(type: string): string {
  if (type === 'any value') return 'any values';
  return type
    .split(' or ')
    .map((each) => (/^[a-z]/.test(each) && !/s$/.test(each) ? `${each}s` : each))
    .join(' or ');
}

/** HTML: which values are allowed, in a list too, and which one counts if there is none. */
export function boundsText(schema: Schema): string {
  const { const: only, default: usual, minimum, maximum } = schema;
  const values = schema.enum ?? schema.items?.enum;
  const sentences = [
    ...(values === undefined ? [] : [`One of ${values.map((value) => codeHtml(String(value))).join(', ')}.`]),
    ...(only === undefined ? [] : [`Always ${codeHtml(String(only))}.`]),
    ...range(minimum, maximum, ''),
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minItems, schema.maxItems, ' entries'),
    ...(usual === undefined ? [] : [`Default: ${codeHtml(String(usual))}.`]),
  ];
  return sentences.join(' ');
}

function range(low: number | undefined, high: number | undefined, unit: string): readonly string[] {
  const told = (value: number) => value.toLocaleString('en-US');
  if (high === undefined) return low === undefined || low <= 1 ? [] : [`At least ${told(low)}${unit}.`];
  if (low === undefined || low === high) return [`At most ${told(high)}${unit}.`];
  return [`${told(low)} to ${told(high)}${unit}.`];
}
