// What a unit of work has changed about the activities of records, until their last activity is set.
import type { RecordRef } from '../../store/record-ref.ts';

/** What has happened to the activities of a record: dates that came and went, or `all` when nobody knows which. */
interface Stir {
  readonly came: string[];
  readonly went: string[];
  all: boolean;
}

/** What a unit has changed about activities. */
export class Stirred {
  readonly records = new Map<string, Stir & { readonly ref: RecordRef }>();
  readonly activities = new Map<string, Stir>();

  record(ref: RecordRef): Stir {
    const known = this.records.get(ref.id) ?? { ref, came: [], went: [], all: false };
    this.records.set(ref.id, known);
    return known;
  }

  activity(id: string): Stir {
    const known = this.activities.get(id) ?? { came: [], went: [], all: false };
    this.activities.set(id, known);
    return known;
  }

  get isEmpty(): boolean {
    return this.records.size === 0 && this.activities.size === 0;
  }

  clear(): void {
    this.records.clear();
    this.activities.clear();
  }
}
