// Links on their way into a unit of work: as a request names them, as they are found, and what they change.
import type { Named } from '../../query/match.ts';
import type { AssociationPair } from '../../schema/association-type.ts';
import type { NewLink } from '../../store/records/associations.ts';

/** A link as a request names it. */
export interface LinkRequest {
  readonly associationType: string;
  readonly target: Named;
}

/** A link that a body names, and where. */
export interface PlacedLink extends LinkRequest {
  readonly pointers: LinkPointers;
}

/** Where a body has a link, and in it the names of the association type and of the target. */
export interface LinkPointers {
  readonly link: string;
  readonly associationType: string;
  readonly target: string;
}

/** A link whose association type exists for the caller and whose target exists. */
export interface ResolvedLink {
  readonly pair: AssociationPair;
  readonly targetId: string;
}

export type LinkEffect = LinkChange | StageMove;

/** A link that is made or removed. One between records gives its source a new version. */
export interface LinkChange extends ResolvedLink {
  readonly kind: 'record' | 'user' | 'org';
  readonly change: 'made' | 'removed';
}

/** A record enters a stage, leaves one, or moves from one to another. It gets a new version. */
export interface StageMove {
  readonly kind: 'stage';
  readonly from: StageLink | undefined;
  readonly to: ResolvedLink | undefined;
}

/** The link to the stage that a record is in. */
export interface StageLink extends ResolvedLink {
  readonly stored: NewLink;
}

export function givesVersion({ kind }: LinkEffect): boolean {
  return kind === 'record' || kind === 'stage';
}

/** The link that the effect makes. */
export function madeBy(effect: LinkEffect): ResolvedLink | undefined {
  if (effect.kind === 'stage') return effect.to;
  return effect.change === 'made' ? effect : undefined;
}

/** The link that the effect removes. */
export function removedBy(effect: LinkEffect): ResolvedLink | undefined {
  if (effect.kind === 'stage') return effect.from;
  return effect.change === 'removed' ? effect : undefined;
}
