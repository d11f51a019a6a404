// A card: the record's title, the record that it belongs to, its amount, and how long it has been in its stage.
import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { AssociationType } from '../../../client/main.ts';
import { paths } from '../../app/routes.ts';
import { ownerLink, subtitleLink, sumProperty } from '../../data/highlights.ts';
import type { Row } from '../../data/paged-rows.ts';
import { type TypeDetail, titleOf, useMaybeType } from '../../data/schema.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { StageMark } from '../../parts/stage-mark.tsx';
import { Value } from '../../parts/values/value.tsx';
import { dateText, durationText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import type { BoardColumn } from './board-data.ts';
import { useSlide } from './slide.ts';
import type { Move } from './use-moves.ts';

interface Props {
  readonly type: TypeDetail;
  readonly link: AssociationType;
  readonly column: BoardColumn;
  readonly row: Row;
  readonly targets: readonly BoardColumn[];
  readonly carried: Move | undefined;
  readonly mayMove: boolean;
  readonly isSaving: boolean;
  readonly onMove: (move: Move) => Promise<void>;
  readonly onCarry: (move: Move | undefined) => void;
  /** Before its page opens. */
  readonly onOpen: () => void;
}

/** The card that was moved by keyboard: it keeps the focus where it arrives. */
let followed: string | undefined;

export function Card(props: Props) {
  const { type, link, column, row, targets, carried, mayMove, isSaving, onMove, onCarry, onOpen } = props;
  const place = useRef<HTMLLIElement>(null);
  const [isLifted, setLifted] = useState(false);
  const [, go] = useLocation();
  useSlide(place, row.id, column.id);
  useEffect(() => {
    if (followed !== row.id) return;
    followed = undefined;
    place.current?.focus();
  }, [row.id]);
  const isCarried = carried?.row.id === row.id;
  const moveTo = (to: string) => void onMove({ row, from: column.id, to });
  useEffect(() => {
    const element = place.current;
    if (element === null || !mayMove || isSaving) return;
    return draggable({
      element,
      getInitialData: () => ({ type: type.name, from: column.id }),
      onDragStart: () => setLifted(true),
      onDrop: ({ location }) => {
        setLifted(false);
        const to = location.current.dropTargets[0]?.data['column'];
        if (typeof to === 'string') void onMove({ row, from: column.id, to });
      },
    });
  }, [type.name, column.id, row, mayMove, isSaving, onMove]);
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter' && !isCarried) {
      onOpen();
      go(paths.record(type.name, row.id));
      return;
    }
    if (!mayMove || isSaving) return;
    const aim = carried?.to ?? column.id;
    const at = targets.findIndex(({ id }) => id === aim);
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (isCarried && step !== 0) {
      const next = targets[Math.max(0, Math.min(targets.length - 1, at + step))];
      if (next !== undefined) onCarry({ row, from: column.id, to: next.id });
    } else if (isCarried && event.key === 'Escape') onCarry(undefined);
    else if (isCarried && (event.key === 'Enter' || event.key === ' ')) {
      onCarry(undefined);
      followed = row.id;
      moveTo(aim);
    } else if (event.key === ' ') onCarry({ row, from: column.id, to: column.id });
    else return;
    event.preventDefault();
  };
  const title = titleOf(type, row.properties) || texts.noName;
  const sum = sumProperty(type);
  const amount = sum === undefined ? undefined : type.byName.get(sum);
  return (
    <li
      ref={place}
      className="card"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a card is picked up by keyboard.
      tabIndex={0}
      aria-label={title}
      data-lifted={isLifted || undefined}
      data-carried={isCarried || undefined}
      data-saving={isSaving || undefined}
      onKeyDown={press}
      onBlur={() => isCarried && onCarry(undefined)}
    >
      <Link
        href={paths.record(type.name, row.id)}
        onClick={onOpen}
        className="card-title"
        title={title}
        draggable={false}
        dir="auto"
      >
        {title}
      </Link>
      <Subtitle type={type} row={row} />
      <div className="card-foot">
        <span className="figures strong">
          {amount !== undefined && <Value value={row.properties[amount.name]} property={amount} />}
        </span>
        <span className="grow" />
        <Age row={row} link={link} isClosed={column.stage?.isClosed === true} />
        <Owner row={row} type={type} />
        {mayMove && !isSaving && <MoveMenu title={title} targets={targets} current={column.id} onChoose={moveTo} />}
      </div>
    </li>
  );
}

function Subtitle({ type, row }: { readonly type: TypeDetail; readonly row: Row }) {
  const link = subtitleLink(type);
  const other = useMaybeType(link?.target_type);
  const [item] = link === undefined ? [] : (row.associations?.[link.name]?.items ?? []);
  if (item === undefined || other === undefined) return null;
  return <p className="card-below one-line">{titleOf(other, item.properties ?? {}) || texts.noName}</p>;
}

/** How long the record has been in its stage, marked if that is long; of one that is closed, since when. */
function Age({
  row,
  link,
  isClosed,
}: {
  readonly row: Row;
  readonly link: AssociationType;
  readonly isClosed: boolean;
}) {
  const [item] = row.associations?.[link.name]?.items ?? [];
  if (item?.associated_at === undefined) return null;
  if (isClosed) return <span className="age figures">{dateText(item.associated_at.slice(0, 10))}</span>;
  const seconds = (Date.now() - Date.parse(item.associated_at)) / 1_000;
  const isLong = seconds > 21 * 86_400;
  return (
    <span className={isLong ? 'age long figures' : 'age figures'} title={texts.inStage(durationText(seconds))}>
      {isLong && <Icon name="clock" />}
      {durationText(seconds)}
    </span>
  );
}

function Owner({ row, type }: { readonly row: Row; readonly type: TypeDetail }) {
  const link = ownerLink(type);
  const [item] = link === undefined ? [] : (row.associations?.[link.name]?.items ?? []);
  return item?.title === undefined ? null : (
    <span title={item.title}>
      <Avatar name={item.title} />
    </span>
  );
}

function MoveMenu({
  title,
  targets,
  current,
  onChoose,
}: {
  readonly title: string;
  readonly targets: readonly BoardColumn[];
  readonly current: string;
  readonly onChoose: (id: string) => void;
}) {
  return (
    <Menu
      label={texts.moveTitle(title)}
      align="end"
      button={{
        className: 'button quiet only-icon card-menu',
        label: texts.moveTitle(title),
        content: <Icon name="more" />,
      }}
    >
      {(close) => (
        <>
          <p className="menu-label">{texts.moveTo}</p>
          {targets.map(({ id, name, stage }) => (
            <MenuItem
              key={id}
              isDisabled={id === current}
              onChoose={() => {
                close();
                onChoose(id);
              }}
            >
              {stage !== undefined && <StageMark stage={stage} share={stage.share} />}
              {name}
            </MenuItem>
          ))}
        </>
      )}
    </Menu>
  );
}
