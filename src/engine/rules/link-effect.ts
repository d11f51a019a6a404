// Links on their way into a unit of work: as a request names them, as they were found, and what they change.
import type { AssociationPair } from '../../schema/association-type.ts';
import type { NewLink } from '../../store/records/associations.ts';

/** A link as a request names it. */
export interface LinkRequest {
  readonly associationType: string;
  readonly targetId: string;
}

/** A link whose association type exists for the caller and whose target is there. */
export interface ResolvedLink {
  readonly pair: AssociationPair;
  readonly targetId: string;
}

/** What writing a link, or taking one away, changes. Those of kind `record` give the source a new version. */
export interface LinkEffect {
  readonly kind: 'record' | 'user' | 'org';
  readonly pair: AssociationPair;
  readonly targetId: string;
  readonly makes: boolean;
  /** The stage that is left by it. */
  readonly left?: NewLink;
}
