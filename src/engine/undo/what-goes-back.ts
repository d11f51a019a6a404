// Decides what of one record goes back when a request is undone, from the entries of that request and from what others have
// changed since. Each value, each link and the life of the record is decided for itself: it goes back to what it was before
// the first change of the request that nobody has changed since. Pure.
import type { Json } from '../../base/json.ts';
import type { EntryKind } from '../../store/feed/entries.ts';
import type { LaterChange } from '../../store/feed/requests.ts';

/** A change of the record by the request that is undone. */
export interface OwnEvent {
  readonly seq: number;
  readonly kind: EntryKind;
  readonly version: number;
  /** By key, the values that an update changed. */
  readonly changed: Readonly<Record<string, { readonly old?: Json; readonly new?: Json }>>;
  /** Keys of values that are not in `changed`, because they are long. */
  readonly leftOut: readonly string[];
  readonly link: EventLink | undefined;
}

interface EventLink {
  readonly associationTypeId: number;
  readonly targetTypeId: number;
  /** Null for the org. */
  readonly targetId: string | null;
  /** Whether the caller sees the other end. */
  readonly isSeen: boolean;
  /** From when the link was, if it was only given another date. */
  readonly linkedAtMs?: number;
}

/** A former value: null if there was none, or the version that replaced it if it is stored elsewhere. */
export type FormerValue = { readonly value: Json } | { readonly replacedBy: number };

/** A link that goes back: it is made again, removed, or gets its former date. */
export interface LinkBack extends EventLink {
  readonly change: 'made' | 'removed' | 'dated';
}

export interface GoesBack {
  readonly life: 'to_trash' | 'to_live' | undefined;
  readonly values: ReadonlyMap<string, FormerValue>;
  readonly links: readonly LinkBack[];
  /** Whether something stays as it is because others have changed it since. */
  readonly kept: boolean;
}

/** `takesOne` tells whether a source has only one target of the association type. */
export function whatGoesBack(
  events: readonly OwnEvent[],
  later: readonly LaterChange[],
  takesOne: (associationTypeId: number) => boolean,
): GoesBack {
  const [first] = events;
  const life = events.filter(({ kind }) => isLife(kind));
  if (first?.kind === 'record.created') {
    const isGone = life.at(-1)?.kind === 'record.deleted';
    const isChanged = later.length > 0;
    return { ...nothing, kept: isChanged, life: isChanged || isGone ? undefined : 'to_trash' };
  }
  const values = valuesBack(events, later);
  const links = linksBack(events, later, takesOne);
  const lives = lifeBack(life, later);
  return {
    life: lives.life,
    values: values.back,
    links: links.back,
    kept: values.kept || links.kept || lives.kept,
  };
}

const nothing: GoesBack = { life: undefined, values: new Map(), links: [], kept: false };

function isLife(kind: EntryKind): boolean {
  return kind === 'record.created' || kind === 'record.deleted' || kind === 'record.restored';
}

/**
 * The first event that nobody has changed anything after, of all that are about the same thing; and whether somebody has
 * changed something after one of them.
 */
function unchangedSince<Event extends { readonly seq: number }>(events: readonly Event[], laterSeq: number) {
  const first = events.find(({ seq }) => seq > laterSeq);
  const kept = events.some(({ seq }) => seq < laterSeq);
  return { first, kept };
}

function lastSeq(later: readonly LaterChange[], isAbout: (change: LaterChange) => boolean): number {
  return later.reduce((last, change) => (isAbout(change) && change.seq > last ? change.seq : last), 0);
}

/** A record goes to the trash only if nobody has changed anything of it since: their work would go with it. */
function lifeBack(events: readonly OwnEvent[], later: readonly LaterChange[]): Pick<GoesBack, 'life' | 'kept'> {
  const { first, kept } = unchangedSince(
    events,
    lastSeq(later, ({ about }) => about === 'life'),
  );
  if (first === undefined) return { life: undefined, kept };
  const wasLive = first.kind === 'record.deleted';
  const isLive = events.at(-1)?.kind !== 'record.deleted';
  if (wasLive === isLive) return { life: undefined, kept };
  if (wasLive) return { life: 'to_live', kept };
  const isChanged = lastSeq(later, () => true) > first.seq;
  return { life: isChanged ? undefined : 'to_trash', kept: kept || isChanged };
}

function valuesBack(events: readonly OwnEvent[], later: readonly LaterChange[]) {
  const back = new Map<string, FormerValue>();
  let anyKept = false;
  for (const [key, changes] of grouped(events, ({ changed }) => Object.keys(changed))) {
    const laterSeq = lastSeq(later, (change) => change.about === 'value' && change.key === key);
    const { first, kept } = unchangedSince(changes, laterSeq);
    anyKept ||= kept;
    if (first !== undefined) back.set(key, formerValue(first, key));
  }
  return { back, kept: anyKept };
}

function formerValue({ changed, leftOut, version }: OwnEvent, key: string): FormerValue {
  const old = changed[key]?.old;
  if (old === undefined) return { value: null };
  return old === null && leftOut.includes(key) ? { replacedBy: version } : { value: old };
}

/** Links of an association type that takes one target are one thing: its target. */
function linksBack(
  events: readonly OwnEvent[],
  later: readonly LaterChange[],
  takesOne: (associationTypeId: number) => boolean,
) {
  const nameOf = ({ associationTypeId, targetId }: Pick<LaterChange, 'targetId' | 'associationTypeId'>) =>
    associationTypeId !== null && takesOne(associationTypeId)
      ? `${associationTypeId}`
      : `${associationTypeId}/${targetId}`;
  const back: LinkBack[] = [];
  let anyKept = false;
  for (const [name, changes] of grouped(events, ({ link }) => (link === undefined ? [] : [nameOf(link)]))) {
    if (changes.every(({ link }) => link?.isSeen === false)) continue;
    const laterSeq = lastSeq(later, (change) => change.about === 'link' && nameOf(change) === name);
    const { first, kept } = unchangedSince(changes, laterSeq);
    anyKept ||= kept;
    const last = changes.at(-1);
    if (first?.link === undefined || last?.link === undefined) continue;
    // A link whose other end is hidden was none to the caller: what took its place is removed, and nothing tells of it.
    const was = first.kind === 'association.deleted' && first.link.isSeen ? first.link : undefined;
    const is = last.kind === 'association.created' ? last.link : undefined;
    if (was?.targetId === is?.targetId && (was === undefined) === (is === undefined)) {
      if (was?.linkedAtMs !== undefined) back.push({ ...was, change: 'dated' });
      continue;
    }
    if (was === undefined && is?.isSeen === false) continue;
    back.push(was === undefined ? { ...last.link, change: 'removed' } : { ...was, change: 'made' });
  }
  return { back, kept: anyKept };
}

function grouped(
  events: readonly OwnEvent[],
  namesOf: (event: OwnEvent) => readonly string[],
): ReadonlyMap<string, readonly OwnEvent[]> {
  const groups = new Map<string, OwnEvent[]>();
  for (const event of events) {
    for (const name of namesOf(event)) {
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [event]);
      else group.push(event);
    }
  }
  return groups;
}
