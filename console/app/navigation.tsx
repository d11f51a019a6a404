// The navigation: an entry for each type that the caller can see. Entries are links, so they open in a new tab as links do.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { ObjectType } from '../../client/main.ts';
import { useFirstSteps } from '../data/first-steps.ts';
import { pathOf, useSavedViews, useViewNews } from '../data/saved-views.ts';
import { canImport, useCatalog } from '../data/schema.ts';
import { openedMember } from '../data/view.ts';
import { Key } from '../parts/button.tsx';
import { Icon, type IconName, typeIcon, viewIcons } from '../parts/icon.tsx';
import { texts } from '../text/texts.ts';
import { AccountMenu } from './account-menu.tsx';
import { auth, type SignedIn } from './auth.ts';
import { paths } from './routes.ts';

/** The headings, with the categories that stand below each, and how many entries are shown at once. */
const groups = [
  { heading: texts.records, categories: ['core', 'custom'], shown: 12, isSigned: false },
  { heading: texts.activity, categories: ['activity', 'synced', 'generated'], shown: 5, isSigned: true },
] as const;
const rest = ['pipeline', 'platform'] as const;

export function Navigation({ who, onSearch }: { readonly who: SignedIn; readonly onSearch: () => void }) {
  const { types } = useCatalog();
  const [location] = useLocation();
  const [isWhole, setWhole] = useState(false);
  const hidden = types.length - groups.reduce((sum, group) => sum + entriesOf(types, group).length, 0);
  return (
    <nav className="nav" aria-label="Orrery">
      <p className="brand">
        <span className="brand-mark" aria-hidden="true" />
        <span className="one-line">{useOrgName(who.org_id)}</span>
      </p>
      <button type="button" className="search-button" onClick={onSearch}>
        <Icon name="search" />
        <span>{texts.search}</span>
        <Key>Ctrl K</Key>
      </button>
      <div className="nav-scroll">
        <StartEntry />
        <Entry href={paths.home()} icon="home" label={texts.home} />
        <Entry href={paths.reports()} icon="chart" label={texts.reports} />
        {groups.map((group) => (
          <Entries key={group.heading} heading={group.heading} types={entriesOf(types, group, isWhole)} />
        ))}
        {isWhole && (
          <>
            <Entries heading={texts.pipelines} types={types.filter(({ category }) => category === rest[0])} />
            <Entries heading={texts.administration} types={types.filter(({ category }) => category === rest[1])} />
          </>
        )}
        {hidden > 0 && (
          <button type="button" className="nav-entry" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            <Icon name="more" />
            {isWhole ? texts.fewerTypes : texts.allTypes(types.length)}
          </button>
        )}
        <SavedViews />
      </div>
      <div className="nav-foot">
        <ImportEntry />
        <a className="nav-entry" href="/docs/quick-start/" target="_blank" rel="noopener">
          <Icon name="help" />
          {texts.help}
        </a>
        <Link
          href={paths.settings()}
          className="nav-entry"
          aria-current={location.startsWith(paths.settings()) ? 'page' : undefined}
        >
          <Icon name="settings" />
          {texts.settings}
        </Link>
        <AccountMenu who={who} />
      </div>
    </nav>
  );
}

/** The page asks what the rows of a file are; it begins with the first type that takes them. */
function ImportEntry() {
  const { types } = useCatalog();
  const [location] = useLocation();
  const [first] = entriesOf(types, groups[0], true).filter(canImport);
  if (first === undefined) return null;
  const isHere = types.some(({ name }) => location === paths.import(name));
  return (
    <Link href={paths.import(first.name)} className="nav-entry" aria-current={isHere ? 'page' : undefined}>
      <Icon name="upload" />
      {texts.import}
    </Link>
  );
}

/** There as long as a new org has steps left. */
function StartEntry() {
  const [location] = useLocation();
  const steps = useFirstSteps();
  if (steps === undefined || steps.length === 0) return null;
  return (
    <Link href={paths.start()} className="nav-entry" aria-current={location === paths.start() ? 'page' : undefined}>
      <Icon name="check" />
      <span className="one-line grow">{texts.firstSteps}</span>
      <span className="quiet figures">{steps.length}</span>
    </Link>
  );
}

const viewsShown = 8;

/** The first ones by name; all of them are in the settings. */
function SavedViews() {
  const { types } = useCatalog();
  const [location] = useLocation();
  const opened = useOpenedView();
  const { views } = useSavedViews();
  useViewNews();
  const known = views.filter((view) => types.some(({ name }) => name === view.type));
  if (known.length === 0) return null;
  return (
    <section aria-label={texts.savedViews}>
      <h2 className="nav-heading">{texts.savedViews}</h2>
      <ul>
        {known.slice(0, viewsShown).map((view) => (
          <li key={view.id}>
            <Link
              href={pathOf(view)}
              className="nav-entry"
              aria-current={view.id === opened && location === paths[view.kind](view.type) ? 'page' : undefined}
            >
              <Icon name={viewIcons[view.kind]} />
              <span className="one-line">{view.name || texts.noName}</span>
            </Link>
          </li>
        ))}
      </ul>
      {known.length > viewsShown && <Entry href={paths.settings('views')} icon="more" label={texts.allViews} />}
    </section>
  );
}

/** The id of the saved view that the page shows, if there is one in the address. */
function useOpenedView(): string | null {
  return new URLSearchParams(useSearch()).get(openedMember);
}

/** The first types and search, where the thumb is on a narrow screen. */
export function BottomBar({ onSearch }: { readonly onSearch: () => void }) {
  const { types } = useCatalog();
  const [location] = useLocation();
  return (
    <nav className="bottom-bar" aria-label={texts.records}>
      <Link href={paths.home()} className="bottom-entry" aria-current={location === paths.home() ? 'page' : undefined}>
        <Icon name="home" />
        {texts.home}
      </Link>
      {entriesOf(types, groups[0])
        .slice(0, 3)
        .map((type) => (
          <Link
            key={type.name}
            href={paths.table(type.name)}
            className="bottom-entry"
            aria-current={isAt(location, type.name) ? 'page' : undefined}
          >
            <Icon name={typeIcon(type)} />
            <span className="one-line">{type.plural_label}</span>
          </Link>
        ))}
      <button type="button" className="bottom-entry" onClick={onSearch}>
        <Icon name="search" />
        {texts.search}
      </button>
    </nav>
  );
}

function isAt(location: string, type: string): boolean {
  const path = paths.table(type);
  return location === path || (location.startsWith(`${path}/`) && location !== paths.import(type));
}

function useOrgName(orgId: number): string {
  const { data } = useQuery({
    queryKey: ['org', orgId],
    queryFn: () => auth.ways(orgId),
    staleTime: Number.POSITIVE_INFINITY,
    throwOnError: false,
  });
  return data?.org_name ?? 'Orrery';
}

/** Those of one category together, and in it those with a sign of their own first. */
function entriesOf(
  types: readonly ObjectType[],
  group: (typeof groups)[number],
  isWhole = false,
): readonly ObjectType[] {
  const categories: readonly string[] = group.categories;
  const all = types.filter(({ category }) => categories.includes(category));
  const rank = (type: ObjectType) =>
    group.isSigned && typeIcon(type) !== 'box' ? -1 : categories.indexOf(type.category);
  const inOrder = all.toSorted((one, other) => rank(one) - rank(other));
  return isWhole ? inOrder : inOrder.slice(0, group.shown);
}

/** A page of its own, whatever the types are. */
function Entry({ href, icon, label }: { readonly href: string; readonly icon: IconName; readonly label: string }) {
  const [location] = useLocation();
  return (
    <Link href={href} className="nav-entry" aria-current={location === href ? 'page' : undefined}>
      <Icon name={icon} />
      <span className="one-line">{label}</span>
    </Link>
  );
}

function Entries({ heading, types }: { readonly heading: string; readonly types: readonly ObjectType[] }) {
  const [location] = useLocation();
  const opened = useOpenedView();
  if (types.length === 0) return null;
  return (
    <section>
      <h2 className="nav-heading">{heading}</h2>
      <ul>
        {types.map((type) => (
          <li key={type.name}>
            <Link
              href={paths.table(type.name)}
              className="nav-entry"
              aria-current={isAt(location, type.name) && opened === null ? 'page' : undefined}
            >
              <Icon name={typeIcon(type)} />
              <span className="one-line">{type.plural_label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
