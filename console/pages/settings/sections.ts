// The pages of the settings: each with the types that it is about. One of which the caller sees none is not there.
import { paths } from '../../app/routes.ts';
import { type Catalog, useCatalog } from '../../data/schema.ts';
import type { IconName } from '../../parts/icon.tsx';
import { settingsTexts } from '../../text/settings-texts.ts';

export interface Section {
  readonly key: string;
  readonly group: 'schema' | 'access' | 'operation';
  readonly label: string;
  readonly icon: IconName;
  readonly isFor: (catalog: Catalog) => boolean;
}

function sees(objectType: string): Section['isFor'] {
  return ({ types }) => types.some(({ name }) => name === objectType);
}

export const sections = [
  { key: 'types', group: 'schema', icon: 'box', isFor: sees('svc_object_type') },
  { key: 'associations', group: 'schema', icon: 'link', isFor: sees('svc_association_type') },
  {
    key: 'pipelines',
    group: 'schema',
    icon: 'stages',
    isFor: ({ types }) =>
      types.some(({ category, writable_operations: writable }) => category === 'pipeline' && writable.length > 0),
  },
  { key: 'members', group: 'access', icon: 'people', isFor: sees('svc_member') },
  { key: 'roles', group: 'access', icon: 'lock', isFor: sees('svc_role') },
  { key: 'keys', group: 'access', icon: 'key', isFor: sees('svc_access_key') },
  { key: 'views', group: 'operation', icon: 'table', isFor: sees('svc_view') },
  { key: 'jobs', group: 'operation', icon: 'bolt', isFor: sees('svc_job') },
  { key: 'audit', group: 'operation', icon: 'clock', isFor: sees('svc_audit_entry') },
  {
    key: 'trash',
    group: 'operation',
    icon: 'trash',
    isFor: ({ types }) => types.some(({ writable_operations: writable }) => writable.includes('delete')),
  },
  { key: 'org', group: 'operation', icon: 'building', isFor: () => true },
] as const satisfies readonly Omit<Section, 'label'>[];

export type SectionKey = (typeof sections)[number]['key'];

export function useSections(): readonly (Section & { readonly key: SectionKey; readonly href: string })[] {
  const catalog = useCatalog();
  return sections
    .filter(({ isFor }) => isFor(catalog))
    .map((section) => ({ ...section, label: settingsTexts[section.key], href: paths.settings(section.key) }));
}
