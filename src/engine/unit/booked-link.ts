// One link as a book of links has it: as it will be, and as the database has it. The difference is what is written.
export interface BookedLink<T> {
  /** As it will be. */
  link: T;
  /** As the database has it. */
  stored: T | undefined;
  present: boolean;
}

/** Whether the link is stored and will not be as it is stored. */
export function isRemoved({ link, stored, present }: BookedLink<unknown>): boolean {
  return stored !== undefined && !(present && stored === link);
}

/** Whether the link will be there and is not stored as it will be. */
export function isAdded({ link, stored, present }: BookedLink<unknown>): boolean {
  return present && stored !== link;
}

/** The link has been written. */
export function markLinkStored<T>(booked: BookedLink<T>): void {
  booked.stored = booked.present ? booked.link : undefined;
}
