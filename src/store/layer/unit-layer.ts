// What a unit of work reads from the database, and a layer over it: a dry run lays what it would have written over what is
// stored, so that whatever comes later reads both.
import type { Transaction } from '../database.ts';
import { findTitled } from '../import/titled.ts';
import { findLinks, findTargets, findUserLinks } from '../records/associations.ts';
import { findExternalIds } from '../records/external-ids.ts';
import { findLive, lockRecords } from '../records/records.ts';
import { findFirstStage } from '../records/stages.ts';
import { findHolders } from '../records/unique-values.ts';
import type { WriteSet } from '../records/write-records.ts';

export interface UnitReads {
  readonly lockRecords: typeof lockRecords;
  readonly findLive: typeof findLive;
  readonly findHolders: typeof findHolders;
  readonly findExternalIds: typeof findExternalIds;
  readonly findLinks: typeof findLinks;
  readonly findTargets: typeof findTargets;
  readonly findUserLinks: typeof findUserLinks;
  readonly findTitled: typeof findTitled;
  readonly findFirstStage: typeof findFirstStage;
}

/** What is stored, and nothing else. */
export const storedReads: UnitReads = {
  lockRecords,
  findLive,
  findHolders,
  findExternalIds,
  findLinks,
  findTargets,
  findUserLinks,
  findTitled,
  findFirstStage,
};

/** Where a unit reads. */
export interface UnitSource {
  readonly orgId: number;
  readonly transaction: Transaction;
  readonly reads: UnitReads;
}

export interface UnitLayer {
  readonly reads: UnitReads;
  /** Takes what the unit would write to the database. */
  keep(set: WriteSet): Promise<void>;
}
