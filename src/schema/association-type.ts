// Association types: as they are declared (an end may be a kind of types) and as a catalog has them (one entry for each
// concrete pair of types, all with one name and one id).
import type { TypeSelector } from './type-selector.ts';

type Cardinality = 'many_to_many' | 'many_to_one';

export interface AssociationDeclaration {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly source: TypeSelector;
  readonly target: TypeSelector;
  readonly cardinality: Cardinality;
  /** Whether the target is the source's stage: leaving it writes a timer. */
  readonly stage: boolean;
  /** Whether a source that is created without a stage begins in the first one. */
  readonly initial: boolean;
  readonly custom: boolean;
  /** Whether links are made with their source, and never change. */
  readonly fixed?: true;
}

/** Types that are only targets of associations: never listed, queried or read by id (specification 2.4). */
const hiddenTypes = ['svc_user', 'svc_org'] as const;
type HiddenType = (typeof hiddenTypes)[number];

export function isHiddenType(name: string): name is HiddenType {
  return (hiddenTypes as readonly string[]).includes(name);
}

/** One concrete pair. */
export interface AssociationPair {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly sourceType: string;
  readonly targetType: string;
  readonly cardinality: Cardinality;
  readonly stage: boolean;
  readonly initial: boolean;
  readonly fixed?: true;
}
