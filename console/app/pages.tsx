// The pages, each a part of the program of its own. The one that the address names is loaded while the session begins. They do
// not suspend: what suspends is shown a third of a second later than it could be.
import { type ComponentType, useEffect, useState } from 'react';
import { Bars } from '../parts/loading.tsx';
import { base } from './routes.ts';

interface Part<Props> {
  readonly load: () => Promise<void>;
  readonly Page: ComponentType<Props>;
}

function part<Props extends object>(read: () => Promise<{ readonly default: ComponentType<Props> }>): Part<Props> {
  let Loaded: ComponentType<Props> | undefined;
  const load = async () => {
    Loaded ??= (await read()).default;
  };
  function Page(props: Props) {
    const [state, setState] = useState<'reading' | 'read' | { readonly error: unknown }>('reading');
    useEffect(() => {
      if (Loaded === undefined) {
        load().then(
          () => setState('read'),
          (error: unknown) => setState({ error }),
        );
      }
    }, []);
    if (typeof state === 'object') throw state.error;
    return Loaded === undefined ? <Bars /> : <Loaded {...props} />;
  }
  return { load, Page };
}

const parts = {
  home: part(() => import('../pages/home/home-page.tsx')),
  table: part(() => import('../pages/table/table-page.tsx')),
  board: part(() => import('../pages/board/board-page.tsx')),
  record: part(() => import('../pages/record/record-page.tsx')),
  report: part(() => import('../pages/report/report-page.tsx')),
  import: part(() => import('../pages/import/import-page.tsx')),
  reports: part(() => import('../pages/reports/reports-page.tsx')),
  account: part(() => import('../pages/account/account-page.tsx')),
  start: part(() => import('../pages/start/start-page.tsx')),
  settings: part(() => import('../pages/settings/settings-page.tsx')),
};

export const { Page: HomePage } = parts.home;
export const { Page: TablePage } = parts.table;
export const { Page: BoardPage } = parts.board;
export const { Page: RecordPage } = parts.record;
export const { Page: ReportPage } = parts.report;
export const { Page: ImportPage } = parts.import;
export const { Page: ReportsPage } = parts.reports;
export const { Page: AccountPage } = parts.account;
export const { Page: StartPage } = parts.start;
export const { Page: SettingsPage } = parts.settings;

/** Pages that are about no type, and those of a type beside its table. */
const others = ['reports', 'account', 'settings', 'start'] as const;
const ofType = ['board', 'report', 'import'] as const;

/** The kind of page that an address names, and the type that it is about. */
export function placeOf(path: string): { readonly page: keyof typeof parts; readonly type: string | undefined } {
  const [first, type, page] = path.slice(base.length + 1).split('/');
  if (first !== 't') return { page: others.find((name) => name === first) ?? 'home', type: undefined };
  return { page: page === 'r' ? 'record' : (ofType.find((name) => name === page) ?? 'table'), type };
}

/** A part that cannot be loaded now is asked for again when it is shown, which then tells the fault. */
export function loadPage(path: string): void {
  parts[placeOf(path).page].load().catch(() => undefined);
}
