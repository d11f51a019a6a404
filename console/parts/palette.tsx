// Ctrl-K: finds any record or page, and acts. Types are asked side by side, each for its first few matches.
import { useQueries } from '@tanstack/react-query';
import { type KeyboardEvent, type MouseEvent, useDeferredValue, useId, useState } from 'react';
import { useLocation } from 'wouter';
import type { ObjectType } from '../../client/main.ts';
import { paths } from '../app/routes.ts';
import { chooseTheme } from '../app/theme.ts';
import { api } from '../data/api.ts';
import type { Row } from '../data/paged-rows.ts';
import { pathOf, type SavedView, useSavedViews } from '../data/saved-views.ts';
import { canImport, titleOf, typeQuery, useCatalog } from '../data/schema.ts';
import { importTexts } from '../text/import-texts.ts';
import { texts } from '../text/texts.ts';
import { Key } from './button.tsx';
import { Modal } from './dialog.tsx';
import { Icon, type IconName, typeIcon, viewIcons } from './icon.tsx';
import { useOptions } from './use-options.ts';

interface Item {
  readonly key: string;
  readonly group: string;
  readonly icon: IconName;
  readonly title: string;
  readonly below?: string;
  readonly kind: string;
  /** Where it leads, or what it does. */
  readonly href?: string;
  readonly act?: () => void;
}

const matchesEach = 4;
/** Categories whose records are looked for. */
const searched = ['core', 'custom', 'activity', 'synced'];
const typesMost = 12;

export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const [words, setWords] = useState('');
  const [, go] = useLocation();
  const id = useId();
  const items = useItems(useDeferredValue(words.trim()));
  const open = (item: Item | undefined, event: KeyboardEvent | MouseEvent) => {
    if (item === undefined) return;
    const { href, act } = item;
    if (href === undefined) act?.();
    else if (event.ctrlKey || event.metaKey) window.open(href, '_blank', 'noopener');
    else go(href);
    onClose();
  };
  const options = useOptions({ count: items.length, onTake: (index, event) => open(items[index], event) });
  return (
    <Modal label={`${id}-title`} className="palette" onClose={onClose}>
      <h2 id={`${id}-title`} className="sr-only">
        {texts.search}
      </h2>
      <div className="palette-head">
        <Icon name="search" />
        <input
          className="palette-input"
          {...options.input}
          aria-label={texts.search}
          placeholder={texts.paletteHint}
          // biome-ignore lint/a11y/noAutofocus: the person has opened it to type.
          autoFocus
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            options.moveTo(0);
          }}
        />
        <Key>Esc</Key>
      </div>
      <div {...options.list} className="palette-list" aria-label={texts.search}>
        {items.map((item, index) => (
          <div key={item.key}>
            {items[index - 1]?.group !== item.group && <p className="menu-label">{item.group}</p>}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input. */}
            <div
              {...options.option(index)}
              role="option"
              tabIndex={-1}
              className="palette-item"
              onClick={(event) => open(item, event)}
              onPointerMove={() => options.moveTo(index)}
            >
              <Icon name={item.icon} />
              <span className="one-line">{item.title}</span>
              {item.below !== undefined && <span className="one-line quiet">{item.below}</span>}
              <span className="grow" />
              <span className="quiet">{item.kind}</span>
            </div>
          </div>
        ))}
        {items.length === 0 && <p className="note-box">{texts.nothingFound}</p>}
      </div>
      <footer className="palette-foot">
        <Key>↑</Key>
        <Key>↓</Key> {texts.chooseKey}
        <Key>Enter</Key> {texts.openKey}
        <Key>Ctrl Enter</Key> {texts.newTabKey}
      </footer>
    </Modal>
  );
}

function useItems(words: string): readonly Item[] {
  const catalog = useCatalog();
  const { types } = catalog;
  const asked = words === '' ? [] : types.filter(({ category }) => searched.includes(category)).slice(0, typesMost);
  const details = useQueries({ queries: asked.map(({ name }) => typeQuery(name)) });
  const answers = useQueries({
    queries: asked.map(({ name }) => ({
      queryKey: ['records', name, 'palette', words],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await api.records(name).query({ search: words, limit: matchesEach }, { signal }).first())
          .data as readonly Row[],
      staleTime: 5_000,
      throwOnError: false,
    })),
  });
  const records = asked.flatMap((type, index): Item[] => {
    const detail = details[index]?.data;
    if (detail === undefined) return [];
    return (answers[index]?.data ?? []).map((row) => ({
      key: row.id,
      group: texts.records,
      icon: typeIcon(type),
      title: titleOf(detail, row.properties) || texts.noName,
      kind: type.label,
      href: paths.record(type.name, row.id),
    }));
  });
  const creatable = types.filter(({ writable_operations: writable }) => writable.includes('create'));
  const { views } = useSavedViews();
  return [...records, ...viewsOf(views, types, words), ...pagesOf(types, words), ...actionsOf(creatable, words)];
}

function viewsOf(views: readonly SavedView[], types: readonly ObjectType[], words: string): readonly Item[] {
  const wanted = words.toLowerCase();
  return views.flatMap((view): Item[] => {
    const type = types.find(({ name }) => name === view.type);
    if (type === undefined || wanted === '' || !view.name.toLowerCase().includes(wanted)) return [];
    const icon = viewIcons[view.kind];
    return [
      { key: view.id, group: texts.savedViews, icon, title: view.name, kind: type.plural_label, href: pathOf(view) },
    ];
  });
}

function pagesOf(types: readonly ObjectType[], words: string): readonly Item[] {
  const wanted = words.toLowerCase();
  const pages = types.map(
    (type): Item => ({
      key: `page ${type.name}`,
      group: texts.pages,
      icon: typeIcon(type),
      title: type.plural_label,
      kind: texts.table,
      href: paths.table(type.name),
    }),
  );
  const others = (
    [
      ['home', 'home', texts.home, paths.home()],
      ['reports', 'chart', texts.reports, paths.reports()],
      ['account', 'person', texts.account, paths.account()],
      ['settings', 'settings', texts.settings, paths.settings()],
    ] as const
  ).map(([key, icon, title, href]): Item => ({ key, group: texts.pages, icon, title, kind: texts.page, href }));
  return [...pages, ...others].filter(({ title }) => title.toLowerCase().includes(wanted));
}

/** What can be done from anywhere. */
function actionsOf(types: readonly ObjectType[], words: string): readonly Item[] {
  const wanted = words.toLowerCase();
  const base = { group: texts.actions, kind: texts.action } as const;
  const creates = types.map(
    (type): Item => ({
      ...base,
      key: `new ${type.name}`,
      icon: 'plus',
      title: texts.newRecord(type.label),
      href: paths.create(type.name),
    }),
  );
  const imports = types.filter(canImport).map(
    (type): Item => ({
      ...base,
      key: `import ${type.name}`,
      icon: 'upload',
      title: importTexts.title(type.plural_label),
      href: paths.import(type.name),
    }),
  );
  const themes = (['light', 'dark', 'system'] as const).map(
    (theme): Item => ({
      ...base,
      key: theme,
      icon: 'sun',
      title: `${texts.theme}: ${texts[theme]}`,
      act: () => chooseTheme(theme),
    }),
  );
  return [...creates, ...imports, ...themes].filter(
    ({ title }) => wanted !== '' && title.toLowerCase().includes(wanted),
  );
}
