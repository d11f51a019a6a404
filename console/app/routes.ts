// The addresses of the console. Each names a page and what it shows; a view stands after `?`.
export const base = '/console';

export const paths = {
  home: () => `${base}/`,
  table: (type: string) => `${base}/t/${type}`,
  /** The table with the form for a new record open. */
  create: (type: string) => `${base}/t/${type}?new`,
  board: (type: string) => `${base}/t/${type}/board`,
  record: (type: string, id: string) => `${base}/t/${type}/r/${id}`,
  report: (type: string) => `${base}/t/${type}/report`,
  /** Where a file becomes records of the type. */
  import: (type: string) => `${base}/t/${type}/import`,
  reports: () => `${base}/reports`,
  account: () => `${base}/account`,
  /** The first steps in a new org. */
  start: () => `${base}/start`,
  /** A page of the settings, or the first that the caller can see; and something on that page. */
  settings: (section?: string, id?: string) => [`${base}/settings`, section, id].filter(Boolean).join('/'),
};

export const patterns = {
  home: `${base}/`,
  table: `${base}/t/:type`,
  board: `${base}/t/:type/board`,
  record: `${base}/t/:type/r/:id`,
  report: `${base}/t/:type/report`,
  import: `${base}/t/:type/import`,
  reports: `${base}/reports`,
  account: `${base}/account`,
  start: `${base}/start`,
  settings: `${base}/settings/:section?/:id?`,
} as const;
