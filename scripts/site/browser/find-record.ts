// Finds a record of the reader's org for a parameter that names one, so that a first try needs no id to be copied.

export type Found = { readonly id: string } | { readonly refused: string };

/** `values` are those of the other parameters. */
export async function findRecord(
  name: string,
  values: ReadonlyMap<string, string>,
  key: string | undefined,
): Promise<Found> {
  if (key === undefined) return { refused: 'Enter your key above first, and choose “Use key”.' };
  const objectType = values.get('object_type') ?? '';
  try {
    const type =
      name === 'target_id' ? await targetOf(objectType, values.get('association_type') ?? '', key) : objectType;
    if (type === undefined) return { refused: 'The object type has no such association type that this key can see.' };
    const [first] = (await read(`/objects/${encodeURIComponent(type)}/records/?limit=1`, key)) as readonly {
      readonly id: string;
    }[];
    return first === undefined ? { refused: `There is no record of ${type} that this key can see.` } : first;
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

async function targetOf(objectType: string, name: string, key: string): Promise<string | undefined> {
  const types = (await read(`/objects/${encodeURIComponent(objectType)}/associations/`, key)) as readonly {
    readonly name: string;
    readonly source_type: string;
    readonly target_type: string;
  }[];
  return types.find((type) => type.name === name && type.source_type === objectType)?.target_type;
}

async function read(path: string, key: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`/rest/v1${path}`, { headers, credentials: 'omit', cache: 'no-store' });
  const { data, detail } = (await response.json()) as { readonly data?: unknown; readonly detail?: string };
  if (data === undefined) throw new Error(detail ?? `The service answered ${response.status}.`);
  return data;
}
