// The icons, drawn on a grid of 16 with a stroke of 1.4, in the colour of the text beside them.
import type { ViewKind } from '../data/saved-views.ts';

const shapes = {
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  home: <path d="M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4Z" />,
  person: (
    <>
      <circle cx="8" cy="5" r="2.6" />
      <path d="M3 13.5c.4-3 2.4-4.5 5-4.5s4.6 1.5 5 4.5" />
    </>
  ),
  building: (
    <>
      <path d="M4 13.5v-11h8v11" />
      <path d="M2.5 13.5h11M6.5 5.5h.01M9.5 5.5h.01M6.5 8.5h.01M9.5 8.5h.01M7 13.5v-2h2v2" />
    </>
  ),
  diamond: <path d="M8 2.5 13.5 8 8 13.5 2.5 8Z" />,
  note: <path d="M3 2.5h10v7l-4 4H3ZM13 9.5H9v4" />,
  box: <path d="m8 2 5.5 3v6L8 14l-5.5-3V5ZM2.5 5 8 8l5.5-3M8 8v6" />,
  calendar: <path d="M2.5 4h11v9.5h-11ZM2.5 7h11M5.5 2.5v3M10.5 2.5v3" />,
  phone: <path d="M3 3.5 5.5 2.5 7 6 5.5 7.2c.7 1.5 1.8 2.6 3.3 3.3L10 9l3.5 1.5-1 2.5c-5 .5-10-4.5-9.5-9.5Z" />,
  mail: <path d="M2 3.5h12v9H2ZM2 4l6 5 6-5" />,
  globe: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M2.5 8h11M8 2.5c3 3.5 3 7.5 0 11-3-3.5-3-7.5 0-11Z" />
    </>
  ),
  warning: <path d="M8 2.5 14 13H2ZM8 6.5v3M8 11.3v.01" />,
  stages: (
    <>
      <circle cx="4" cy="8" r="1.7" />
      <circle cx="12" cy="4" r="1.7" />
      <circle cx="12" cy="12" r="1.7" />
      <path d="M5.7 8H8c1 0 1-4 2.3-4M8 8c1 0 1 4 2.3 4" />
    </>
  ),
  table: <path d="M2.5 3h11v10h-11ZM2.5 6.5h11M6.5 3v10" />,
  board: <path d="M2.5 2.5h3v11h-3ZM6.7 2.5h3v7h-3ZM10.9 2.5h2.8v9h-2.8Z" />,
  bookmark: <path d="M4 2.5h8v11l-4-3-4 3Z" />,
  chart: <path d="M2.5 13.5h11M4.5 13.5v-5M8 13.5v-10M11.5 13.5v-7" />,
  plus: <path d="M8 3v10M3 8h10" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  check: <path d="m3 8.5 3.5 3.5L13 5" />,
  down: <path d="m4 6 4 4 4-4" />,
  up: <path d="m4 10 4-4 4 4" />,
  left: <path d="M10 3.5 5.5 8l4.5 4.5" />,
  right: <path d="M6 3.5 10.5 8 6 12.5" />,
  arrow: <path d="M2.5 8h10.5M9.5 4.5 13 8l-3.5 3.5" />,
  sort: <path d="M4.5 3v10M2.5 11l2 2 2-2M11.5 13V3M9.5 5l2-2 2 2" />,
  columns: <path d="M2.5 3h11v10h-11ZM6.2 3v10M9.8 3v10" />,
  filter: <path d="M2.5 4h11M4.5 8h7M6.5 12h3" />,
  code: <path d="M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2" />,
  link: <path d="M6.5 9.5 9.5 6.5M7 4.5l1.3-1.3a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.3 1.3a3 3 0 0 1-4.5-4.5L4.5 7" />,
  merge: <path d="M4 3v3c0 2 4 2.5 4 5v2.5M12 3v3c0 2-4 2.5-4 5" />,
  edit: <path d="m3 13 .7-3L10.5 3.2l2.3 2.3L6 12.3Z" />,
  trash: <path d="M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4" />,
  upload: <path d="M8 10.5V3M5 5.5 8 2.5l3 3M3 10v3.5h10V10" />,
  download: <path d="M8 3v7.5M5 8l3 3 3-3M3 11v2.5h10V11" />,
  copy: <path d="M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3.2l2 1.3" />
    </>
  ),
  people: (
    <>
      <circle cx="6" cy="5.5" r="2.2" />
      <path d="M2 13c.3-2.5 1.9-4 4-4s3.7 1.5 4 4M10.5 3.6a2.2 2.2 0 0 1 0 4M11.5 9.4c1.5.500 2.3 1.7 2.5 3.6" />
    </>
  ),
  lock: <path d="M3.5 7h9v6.5h-9ZM5.5 7V5a2.5 2.5 0 0 1 5 0v2" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.6" />
      <path d="M8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1" />
    </>
  ),
  help: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.3 6.5a1.7 1.7 0 1 1 2.5 1.5c-.6.300-.8.600-.8 1.3M8 11.3v.01" />
    </>
  ),
  menu: <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  undo: <path d="M5.5 3 2.5 6l3 3M3 6h6a3.7 3.7 0 0 1 0 7.4H6" />,
  key: (
    <>
      <circle cx="5" cy="11" r="2.5" />
      <path d="m7 9 6-6M11 5l1.5 1.5" />
    </>
  ),
  settings: (
    <>
      <path d="M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6" />
      <circle cx="10.2" cy="4.5" r="1.7" />
      <circle cx="5.8" cy="11.5" r="1.7" />
    </>
  ),
  grip: <path d="M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01" strokeWidth="2" />,
  bolt: <path d="M9 2 3.5 9H8l-1 5 5.500-7H8Z" />,
  hidden: (
    <path d="M2 8c1.500-2.700 3.500-4 6-4s4.500 1.300 6 4c-1.500 2.700-3.500 4-6 4s-4.500-1.300-6-4ZM3 13 13 3" />
  ),
  signOut: <path d="M6.5 2.5h-4v11h4M6 8h7.5M10.5 5l3 3-3 3" />,
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name, className = '' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      className={`icon ${className}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shapes[name]}
    </svg>
  );
}

/** The icon of a type, by its nature: a custom type has none to invent. */
export function typeIcon({ name, kind, category }: { name: string; kind: string | null; category: string }): IconName {
  if (kind === 'person') return 'person';
  if (kind === 'organization') return 'building';
  const named: Readonly<Record<string, IconName>> = {
    svc_deal: 'diamond',
    svc_note: 'note',
    svc_meeting: 'calendar',
    svc_call: 'phone',
    svc_email_thread: 'mail',
    svc_web_visit: 'globe',
    svc_risk: 'warning',
  };
  return named[name] ?? (category === 'pipeline' ? 'stages' : 'box');
}

export const viewIcons: Readonly<Record<ViewKind, IconName>> = { table: 'table', board: 'board', report: 'chart' };
