// One step of the demo: an operation of a batch or a line of ingest, as any client could send it, and its time. Steps name
// records by names of the story; ids exist only once the steps are written.

/** A record by its name in the story. */
export interface Named {
  readonly ref: string;
}

export interface Link {
  readonly association_type: string;
  readonly target_id: Named;
}

type Values = Readonly<Record<string, unknown>>;

/** An operation of a batch (contract 5). */
export type Operation =
  | {
      readonly operation: 'create';
      readonly object_type: string;
      readonly ref: string;
      readonly properties: Values;
      readonly associations: readonly Link[];
    }
  | {
      readonly operation: 'update';
      readonly object_type: string;
      readonly id: Named;
      readonly properties: Values;
    }
  | ({ readonly operation: 'associate'; readonly object_type: string; readonly id: Named } & Link);

/** A line of ingest (contract 12). */
export interface Line {
  readonly external_id?: string;
  readonly match?: Values;
  readonly properties: Values;
  readonly associations?: readonly Link[];
}

export type Step = { readonly atMs: number } & (
  | { readonly operation: Operation }
  | { readonly objectType: string; readonly line: Line }
);

export function create(
  atMs: number,
  objectType: string,
  ref: string,
  properties: Values,
  associations: readonly Link[] = [],
): Step {
  return { atMs, operation: { operation: 'create', object_type: objectType, ref, properties, associations } };
}

export function update(atMs: number, objectType: string, ref: string, properties: Values): Step {
  return { atMs, operation: { operation: 'update', object_type: objectType, id: { ref }, properties } };
}

export function associate(atMs: number, objectType: string, ref: string, { association_type, target_id }: Link): Step {
  const id = { ref };
  return { atMs, operation: { operation: 'associate', object_type: objectType, id, association_type, target_id } };
}

export function bring(atMs: number, objectType: string, line: Line): Step {
  return { atMs, objectType, line };
}

export function link(associationType: string, target: string): Link {
  return { association_type: associationType, target_id: { ref: target } };
}

/** The name in the story of a record from a connected system. */
export function broughtAs(objectType: string, externalId: string): string {
  return `${objectType}/${externalId}`;
}

/** The name in the story of a stage. */
export function stageAs(objectType: string, name: string): string {
  return `${objectType}/${name}`;
}
