// The menus of a table: by what it is sorted, and which columns it has, in which order.
import { type TypeDetail, titleProperties } from '../../data/schema.ts';
import { type Column, linkColumnName, type View } from '../../data/view.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Menu, MenuCheck } from '../../parts/menu.tsx';
import { texts } from '../../text/texts.ts';

interface Props {
  readonly type: TypeDetail;
  readonly view: View;
  readonly onChange: (change: Partial<View>) => void;
}

export function SortMenu({ type, view, onChange }: Props) {
  const sortable = type.properties.filter(({ type: field, multi_valued: many }) => field.sortable && !many);
  const { sort } = view;
  return (
    <Menu
      label={texts.sort}
      align="end"
      button={{ className: 'button quiet', content: <Labelled icon="sort" text={texts.sort} /> }}
    >
      {() => (
        <>
          {[{ name: '', label: texts.noSort }, ...sortable].map(({ name, label }) => (
            <MenuCheck
              key={name}
              kind="one"
              isChecked={(sort?.property ?? '') === name}
              onChoose={() =>
                onChange({ sort: name === '' ? undefined : { property: name, direction: sort?.direction ?? 'asc' } })
              }
            >
              {label}
            </MenuCheck>
          ))}
          {sort !== undefined && (
            <>
              <hr className="menu-line" />
              {(['asc', 'desc'] as const).map((direction) => (
                <MenuCheck
                  key={direction}
                  kind="one"
                  isChecked={sort.direction === direction}
                  onChoose={() => onChange({ sort: { ...sort, direction } })}
                >
                  {direction === 'asc' ? texts.ascending : texts.descending}
                </MenuCheck>
              ))}
            </>
          )}
        </>
      )}
    </Menu>
  );
}

function Labelled({ icon, text }: { readonly icon: IconName; readonly text: string }) {
  return (
    <>
      <Icon name={icon} />
      <span>{text}</span>
    </>
  );
}

export function ColumnsMenu({ type, columns, onChange }: Props & { readonly columns: readonly Column[] }) {
  const titles = titleProperties(type);
  const all = [
    ...type.properties.filter(({ name }) => !titles.includes(name)).map(({ name, label }) => ({ key: name, label })),
    ...uniqueLinks(type),
  ];
  const shown = columns.map(({ key }) => key);
  const toggle = (key: string) => {
    const kept = columns.map(({ key: name, width }) => ({ name, width }));
    onChange({ columns: shown.includes(key) ? kept.filter(({ name }) => name !== key) : [...kept, { name: key }] });
  };
  const move = (key: string, by: number) => {
    const from = shown.indexOf(key);
    const to = from + by;
    if (from < 0 || to < 0 || to >= shown.length) return;
    const next = columns.map(({ key: name, width }) => ({ name, width }));
    next.splice(to, 0, ...next.splice(from, 1));
    onChange({ columns: next });
  };
  const inOrder = [...shown, ...all.map(({ key }) => key).filter((key) => !shown.includes(key))];
  return (
    <Menu
      label={texts.columns}
      align="end"
      button={{ className: 'button quiet', content: <Labelled icon="columns" text={texts.columns} /> }}
    >
      {() => (
        <>
          <p className="menu-label">{texts.columnsHelp}</p>
          {inOrder.map((key) => (
            <MenuCheck
              key={key}
              kind="each"
              isChecked={shown.includes(key)}
              onChoose={() => toggle(key)}
              onKeyDown={(event) => {
                if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
                event.preventDefault();
                move(key, event.key === 'ArrowUp' ? -1 : 1);
              }}
            >
              <span className="one-line">{all.find((each) => each.key === key)?.label ?? key}</span>
            </MenuCheck>
          ))}
        </>
      )}
    </Menu>
  );
}

/** An association type can have several pairs; a column is for its name and direction. */
function uniqueLinks(type: TypeDetail): readonly { readonly key: string; readonly label: string }[] {
  const links = new Map(
    type.links.map((link) => [
      linkColumnName(link),
      { key: linkColumnName(link), label: link.direction === 'incoming' ? texts.from(link.label) : link.label },
    ]),
  );
  return [...links.values()];
}
