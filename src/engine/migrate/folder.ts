// The folder that a whole org is exported to and brought back from: the names of its files and the shapes of their lines.
// Writer and reader share them, so that they cannot differ.
import { type Static, Type } from 'typebox';
import { bounds } from '../../base/limits.ts';
import { type Shape, shape } from '../../base/shape.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { storablePattern } from '../../schema/fields/rules/texts.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { platformTypes } from '../../schema/roles/platform.ts';

export const folderFormat = 'orrery-folder';
export const folderVersion = 1;

/** Written last: a folder without it is not a whole export. */
export const manifestName = 'manifest.json';

export const fileNames = {
  schema: 'schema.json',
  links: 'links.ndjson',
  owners: 'owners.ndjson',
  externalIds: 'external_ids.ndjson',
  merges: 'merges.ndjson',
} as const;

/** The files of the records of a type. A type without records in a place has no file there. */
export function recordsFile(place: 'live' | 'trash', typeName: string): string {
  return `${place === 'live' ? 'records' : 'trash'}/${typeName}.ndjson`;
}

/** Keys mean nothing elsewhere; the audit and the jobs are the history of the org that was left. */
export const leftOutTypeIds: readonly number[] = [platformTypes.accessKey, platformTypes.auditEntry, platformTypes.job];

export function foldedTypes({ objectTypes }: Catalog): readonly ObjectType[] {
  return [...objectTypes.values()].filter(({ id }) => !leftOutTypeIds.includes(id));
}

const strict = { additionalProperties: false } as const;
const Name = Type.String({ pattern: '^[a-z][a-z0-9_]{0,62}$', description: 'the name of a type' });
const Id = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  description: 'the id of a record',
});
const Moment = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
  description: 'a time such as 2026-03-31T09:30:00.000Z',
});

const RecordLine = Type.Object(
  {
    id: Id,
    version: Type.String({ pattern: '^[1-9][0-9]{0,14}$', description: 'a version such as "1"' }),
    shared_with_org: Type.Boolean(),
    deleted_at: Type.Optional(Moment),
    properties: Type.Record(Type.String(), Type.Unknown()),
  },
  strict,
);
const LinkLine = Type.Object(
  {
    association_type: Name,
    source_type: Name,
    source_id: Id,
    target_type: Name,
    target_id: Id,
    associated_at: Moment,
  },
  strict,
);
const OwnerLine = Type.Object({ member_id: Id, object_type: Name, record_id: Id, associated_at: Moment }, strict);
function storedText(maxLength: number) {
  return Type.String({ minLength: 1, maxLength, pattern: storablePattern });
}

const ExternalIdLine = Type.Object(
  {
    object_type: Name,
    source: storedText(bounds.engine.externalSourceCharacters),
    external_id: storedText(bounds.engine.externalIdCharacters),
    record_id: Id,
  },
  strict,
);
const MergeLine = Type.Object({ object_type: Name, duplicate_id: Id, kept_id: Id, parted: Type.Boolean() }, strict);

const FolderFile = Type.Object(
  {
    file: Type.String({ pattern: '^((records|trash)/)?[a-z][a-z0-9_]{0,62}\\.(ndjson|json)$' }),
    rows: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  strict,
);
const Manifest = Type.Object(
  {
    format: Type.Literal(folderFormat),
    format_version: Type.Literal(folderVersion),
    release: Type.String(),
    exported_at: Moment,
    org: Type.Object(
      {
        id: Type.Integer(),
        name: Type.String({ minLength: 1, maxLength: 255 }),
        currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'a currency such as USD' }),
      },
      strict,
    ),
    files: Type.Array(FolderFile, { maxItems: 5_000 }),
  },
  strict,
);

export type RecordLine = Static<typeof RecordLine>;
export type LinkLine = Static<typeof LinkLine>;
export type OwnerLine = Static<typeof OwnerLine>;
export type ExternalIdLine = Static<typeof ExternalIdLine>;
export type MergeLine = Static<typeof MergeLine>;
export type FolderFile = Static<typeof FolderFile>;
export type Manifest = Static<typeof Manifest>;

export const manifestShape: Shape<Manifest> = shape(Manifest);
export const lineShapes = {
  record: shape(RecordLine),
  link: shape(LinkLine),
  owner: shape(OwnerLine),
  externalId: shape(ExternalIdLine),
  merge: shape(MergeLine),
};

/** Undefined if the text is not JSON, which no shape admits. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
