// Reads one line of ingest: from bytes to checked values, or to one Problem with all errors. A line of a synced or generated
// type has an external id; a line of any other type names an existing record.

import { type Static, Type } from 'typebox';
import { repeatedMember } from '../../../client/import/cells/repeated-member.ts';
import { shorten } from '../../../client/import/described.ts';
import { counted } from '../../base/counted.ts';
import type { Line } from '../../base/files/lines.ts';
import type { Json } from '../../base/json.ts';
import { bounds } from '../../base/limits.ts';
import { type Fault, Problem, problemOf } from '../../base/problem.ts';
import { shape } from '../../base/shape.ts';
import { FaultList } from '../../query/fault-list.ts';
import { ByValueShape, parseTargetMatch } from '../../query/match.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { type Changes, checkRequired, checkValues } from '../../schema/check-values.ts';
import { storablePattern } from '../../schema/fields/rules/texts.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { IngestedType } from '../../schema/roles/ingested-type.ts';
import type { PlacedLink } from '../unit/link-effect.ts';

/** A record that a connected system names by its own id. */
export interface ExternalItem {
  readonly externalId: string;
  readonly changes: Changes;
  /** The required properties that a new record would lack. */
  readonly missing: readonly Fault[];
  readonly links: readonly PlacedLink[];
}

/** An existing record, named by its id or by the value of a unique property. */
export interface RecordItem {
  readonly named: { readonly id: string } | { readonly match: string; readonly value: Json };
  readonly changes: Changes;
}

const strict = { additionalProperties: false } as const;
const Values = Type.Record(Type.String(), Type.Unknown());
const Target = Type.Union([Type.String(), ByValueShape], {
  description: 'an id, or {"match": {"property": value}} with a unique property and its value',
});
const Link = Type.Object({ association_type: Type.String(), target_id: Target }, strict);

const ExternalLine = Type.Object(
  {
    external_id: Type.String({
      minLength: 1,
      maxLength: bounds.engine.externalIdCharacters,
      pattern: storablePattern,
      description: `a string of 1 to ${bounds.engine.externalIdCharacters} characters`,
    }),
    properties: Values,
    associations: Type.Optional(Type.Array(Link, { maxItems: bounds.operations.linksPerCreate })),
  },
  strict,
);
const RecordLine = Type.Object(
  {
    id: Type.Optional(Type.String()),
    match: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        minProperties: 1,
        maxProperties: 1,
        description: 'an object with one unique property and its value',
      }),
    ),
    properties: Values,
  },
  strict,
);
const externalLine = shape(ExternalLine);
const recordLine = shape(RecordLine);

export function parseExternalLine(catalog: Catalog, { type }: IngestedType, line: Line): ExternalItem {
  const value = parseJson(line);
  const faults = externalLine.check(value);
  if (faults.length > 0) throw problemOf('invalid_request', faults);
  const { external_id, properties, associations = [] } = value as Static<typeof ExternalLine>;
  const links = placedLinks(catalog, type, associations);
  const changes = checked(type, properties);
  return {
    externalId: external_id,
    changes,
    missing: checkRequired(type, properties, ''),
    links,
  };
}

/** Throws one problem for all targets that are named by something that is no unique property. */
function placedLinks(catalog: Catalog, type: ObjectType, sent: readonly Static<typeof Link>[]): readonly PlacedLink[] {
  const faults = new FaultList();
  const links = sent.map(({ association_type: associationType, target_id: sentTarget }, index): PlacedLink => {
    const link = `/associations/${index}`;
    const pointers = { link, associationType: `${link}/association_type`, target: `${link}/target_id` };
    if (typeof sentTarget === 'string') return { associationType, target: sentTarget, pointers };
    const parsed = parseTargetMatch(
      catalog,
      type,
      associationType,
      sentTarget.match,
      `${pointers.target}/match`,
      faults,
    );
    return { associationType, target: parsed ?? '', pointers };
  });
  if (faults.list.length > 0) throw problemOf('invalid_request', faults.list);
  return links;
}

/** `whole` has all properties of the type: the one to match by need not be one that ingest may write. */
export function parseRecordLine({ type }: IngestedType, whole: ObjectType, line: Line): RecordItem {
  const value = parseJson(line);
  const faults = recordLine.check(value);
  if (faults.length > 0) throw problemOf('invalid_request', faults);
  const { id, match, properties } = value as Static<typeof RecordLine>;
  if ((id === undefined) === (match === undefined)) {
    const detail = 'A line names its record by either "id" or "match".';
    throw problemOf('invalid_request', [{ pointer: '', reason: 'invalid_member', detail }]);
  }
  const named = match === undefined ? { id: id ?? '' } : parseMatch(whole, match);
  return { named, changes: checked(type, properties) };
}

function checked(type: ObjectType, properties: Readonly<Record<string, unknown>>): Changes {
  const { changes, faults } = checkValues(type, properties, '');
  if (faults.length > 0) throw problemOf('validation_failed', faults);
  return changes;
}

function parseMatch(type: ObjectType, match: Readonly<Record<string, unknown>>): RecordItem['named'] {
  const [name = ''] = Object.keys(match);
  const { changes, faults } = checkValues(type, match, '');
  const pointer = (fault: Fault) => fault.pointer?.replace(/^\/properties/, '/match') ?? '';
  if (faults.length > 0) {
    throw problemOf(
      'validation_failed',
      faults.map((fault) => ({ ...fault, pointer: pointer(fault) })),
    );
  }
  const value = changes.get(type.properties.get(name)?.key ?? name) ?? null;
  const unique = [...type.properties.values()].filter((property) => property.unique).map((property) => property.name);
  if (value !== null && unique.includes(name)) return { match: name, value };
  const detail =
    value === null
      ? `A record cannot be matched by an empty ${name}.`
      : `${name} is not unique. Match by ${unique.join(' or ')}, or use "id".`;
  throw problemOf('invalid_request', [{ pointer: `/match/${name}`, property: name, reason: 'invalid_member', detail }]);
}

/** A byte order mark inside a file is not JSON, so it is not ignored. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseJson({ bytes }: Line): unknown {
  if (bytes === undefined) {
    const most = counted(bounds.engine.ingestLineBytes);
    throw new Problem('payload_too_large', 'body_too_large', `A line may have at most ${most} bytes.`);
  }
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(error instanceof SyntaxError ? `The line is not JSON${placeIn(error)}.` : 'The line is not UTF-8.');
  }
  const repeated = repeatedMember(text, value);
  if (repeated === undefined) return value;
  throw malformed(`The member ${JSON.stringify(shorten(repeated, 64))} is repeated in one object.`);
}

/** The message of the parser may quote the line, which can be long; only the position is passed on. */
function placeIn(error: SyntaxError): string {
  const place = / position ([0-9]+)/.exec(error.message)?.[1];
  return place === undefined ? '' : `: error at character ${place}`;
}

function malformed(detail: string): Problem {
  return problemOf('invalid_request', [{ pointer: '', reason: 'malformed_json', detail }]);
}
