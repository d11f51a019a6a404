// The frame around every page: navigation by object type, search over everything, help, account, and whether it is live.
import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useFirstSteps } from '../data/first-steps.ts';
import { type News, useNews } from '../data/live.ts';
import { useCatalog, useMaybeType } from '../data/schema.ts';
import { Broken } from '../parts/broken.tsx';
import { Button } from '../parts/button.tsx';
import { Bars } from '../parts/loading.tsx';
import { texts } from '../text/texts.ts';
import type { SignedIn } from './auth.ts';
import { BottomBar, Navigation } from './navigation.tsx';
import {
  AccountPage,
  BoardPage,
  HomePage,
  ImportPage,
  placeOf,
  RecordPage,
  ReportPage,
  ReportsPage,
  SettingsPage,
  StartPage,
  TablePage,
} from './pages.tsx';
import { paths, patterns } from './routes.ts';

const Palette = lazy(() => import('../parts/palette.tsx'));

export function Frame({ who }: { readonly who: SignedIn }) {
  const [location] = useLocation();
  const isEntrance = useIsEntrance();
  const [isSearching, setSearching] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useSchemaNews();
  useShortcut(() => setSearching(true));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when another page opens.
  useEffect(() => setMenuOpen(false), [location]);
  return (
    <div className="frame" data-menu={isMenuOpen ? 'open' : 'closed'}>
      <a className="skip" href="#main">
        {texts.skip}
      </a>
      <Navigation who={who} onSearch={() => setSearching(true)} />
      <button type="button" className="menu-veil" aria-label={texts.close} onClick={() => setMenuOpen(false)} />
      <main id="main" className="main" tabIndex={-1}>
        <Button
          className="menu-button"
          look="quiet"
          icon="menu"
          aria-label={texts.menu}
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(true)}
        />
        {/* A fault of one page does not outlive it. */}
        <Broken key={placeOf(location).page === 'settings' ? paths.settings() : location}>
          <Suspense fallback={<Bars />}>
            <Switch>
              <Route path={patterns.record}>
                {({ type, id }) => (
                  <KnownType name={type}>
                    <RecordPage key={`${type} ${id}`} type={type} id={id} />
                  </KnownType>
                )}
              </Route>
              <Route path={patterns.board}>
                {({ type }) => (
                  <KnownType name={type}>
                    <BoardPage key={type} type={type} />
                  </KnownType>
                )}
              </Route>
              <Route path={patterns.report}>
                {({ type }) => (
                  <KnownType name={type}>
                    <ReportPage key={type} type={type} />
                  </KnownType>
                )}
              </Route>
              <Route path={patterns.import}>
                {({ type }) => (
                  <KnownType name={type}>
                    <ImportPage key={type} type={type} />
                  </KnownType>
                )}
              </Route>
              <Route path={patterns.reports}>
                <ReportsPage />
              </Route>
              <Route path={patterns.table}>
                {({ type }) => (
                  <KnownType name={type}>
                    <TablePage key={type} type={type} />
                  </KnownType>
                )}
              </Route>
              <Route path={patterns.account}>
                <AccountPage who={who} />
              </Route>
              <Route path={patterns.start}>
                <StartPage />
              </Route>
              <Route path={patterns.settings}>{({ section, id }) => <SettingsPage section={section} id={id} />}</Route>
              <Route>
                <Landing isEntrance={isEntrance} />
              </Route>
            </Switch>
          </Suspense>
        </Broken>
      </main>
      <BottomBar onSearch={() => setSearching(true)} />
      {isSearching && (
        <Suspense>
          <Palette onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** The console of a new org opens with its first steps; the entry Home always leads to Home. */
function Landing({ isEntrance }: { readonly isEntrance: boolean }) {
  const { types } = useCatalog();
  const steps = useFirstSteps();
  if (types.length === 0) return <p className="note-box">{texts.noTypes}</p>;
  if (!isEntrance || steps?.length === 0) return <HomePage />;
  return steps === undefined ? <Bars /> : <Redirect to={paths.start()} replace />;
}

/** Whether the page is still the one with which the console was opened. */
function useIsEntrance(): boolean {
  const [location] = useLocation();
  const [opened] = useState(location);
  const [hasLeft, setLeft] = useState(false);
  useEffect(() => {
    if (location !== opened) setLeft(true);
  }, [location, opened]);
  return !hasLeft;
}

/** A page of a type that the caller can see. */
function KnownType({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const { types } = useCatalog();
  if (types.some((type) => type.name === name)) return <ReadType name={name}>{children}</ReadType>;
  return (
    <p className="note-box" role="alert">
      {texts.noType}
    </p>
  );
}

function ReadType({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return useMaybeType(name) === undefined ? <Bars /> : children;
}

/** A type or property that was made elsewhere is here within a second, for those who may see definitions. */
function useSchemaNews(): void {
  const queries = useQueryClient();
  const definitions = /^svc_(object_type|property|property_option|association_type|role|member)$/;
  useNews((news: News) => {
    if (news === 'all' || news.some(({ object_type: type }) => definitions.test(type))) {
      void queries.invalidateQueries({ queryKey: ['schema'] });
    }
    if (news === 'all') void queries.invalidateQueries();
  });
}

function useShortcut(open: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [open]);
}
