// The settings of an org: its schema, who may do what, and what was done. Every page reads and writes platform records by the
// public API, and shows what the caller's grants permit.
import { type ComponentType, Suspense, useEffect, useRef } from 'react';
import { Link, Redirect } from 'wouter';
import { Broken } from '../../parts/broken.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Bars } from '../../parts/loading.tsx';
import { settingsTexts } from '../../text/settings-texts.ts';
import { KeysSection } from './access/keys-section.tsx';
import { MembersSection } from './access/members-section.tsx';
import { RolesSection } from './access/roles-section.tsx';
import { AuditSection } from './operation/audit-section.tsx';
import { JobsSection } from './operation/jobs-section.tsx';
import { OrgSection } from './operation/org-section.tsx';
import { TrashSection } from './operation/trash-section.tsx';
import { ViewsSection } from './operation/views-section.tsx';
import { AssociationsSection } from './schema/associations-section.tsx';
import { PipelinesSection } from './schema/pipelines-section.tsx';
import { TypesSection } from './schema/types-section.tsx';
import { type SectionKey, useSections } from './sections.ts';
import '../../style/settings.css';
import '../../style/grants.css';

interface Props {
  readonly section: string | undefined;
  /** What the page is about, such as the name of a type. */
  readonly id: string | undefined;
}

const pages: Readonly<Record<SectionKey, ComponentType<{ readonly id: string | undefined }>>> = {
  types: TypesSection,
  associations: AssociationsSection,
  pipelines: PipelinesSection,
  members: MembersSection,
  roles: RolesSection,
  keys: KeysSection,
  views: ViewsSection,
  jobs: JobsSection,
  audit: AuditSection,
  trash: TrashSection,
  org: OrgSection,
};

export default function SettingsPage({ section, id }: Props) {
  const sections = useSections();
  const [first] = sections;
  const current = sections.find(({ key }) => key === section);
  if (section === undefined && first !== undefined) return <Redirect to={first.href} replace />;
  const Page = current && pages[current.key];
  return (
    <div className="page settings">
      <SettingsNavigation current={section} />
      {/* A fault of one page does not outlive it. */}
      <Broken key={`${section} ${id}`}>
        <Suspense
          fallback={
            <div className="settings-body">
              <Bars />
            </div>
          }
        >
          {Page === undefined ? (
            <p className="note-box settings-body" role="alert">
              {settingsTexts.noSection}
            </p>
          ) : (
            <Page key={id} id={id} />
          )}
        </Suspense>
      </Broken>
    </div>
  );
}

function SettingsNavigation({ current }: { readonly current: string | undefined }) {
  const sections = useSections();
  const place = useRef<HTMLElement>(null);
  // On a narrow screen the entries stand in one line that is scrolled.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another entry.
  useEffect(() => {
    place.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return (
    <nav ref={place} className="settings-nav" aria-label={settingsTexts.settings}>
      {(['schema', 'access', 'operation'] as const).map((group) => {
        const entries = sections.filter((each) => each.group === group);
        if (entries.length === 0) return null;
        return (
          <section key={group}>
            <h2 className="nav-heading">{settingsTexts.groups[group]}</h2>
            <ul>
              {entries.map(({ key, href, icon, label }) => (
                <li key={key}>
                  <Link href={href} className="nav-entry" aria-current={key === current ? 'page' : undefined}>
                    <Icon name={icon} />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </nav>
  );
}
