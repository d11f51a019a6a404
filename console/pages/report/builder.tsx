// What a report is made of: how records are grouped, what is measured, and how it is drawn.
import { useId } from 'react';
import type { TypeDetail } from '../../data/schema.ts';
import { linkColumnName } from '../../data/view.ts';
import { Switch } from '../../parts/figures/panel.tsx';
import { texts } from '../../text/texts.ts';
import {
  chartsOf,
  type GroupChoice,
  granularities,
  groupProperties,
  groupsMost,
  measureKey,
  measuresOf,
  type Report,
  useIsStages,
} from './report.ts';

interface Props {
  readonly type: TypeDetail;
  readonly report: Report;
  readonly onChange: (change: Partial<Report>) => void;
}

export function Builder({ type, report, onChange }: Props) {
  const { groups, measure, chart } = report;
  const isStages = useIsStages();
  const measures = measuresOf(type);
  const id = useId();
  const replace = (index: number, group: GroupChoice | undefined) => {
    const next = groups.map((each, at) => (at === index ? group : each));
    const known = index < groups.length ? next : [...groups, group];
    onChange({ groups: known.filter((each) => each !== undefined) });
  };
  const shown = Math.min(groupsMost, groups.length + 1);
  return (
    <div className="builder">
      <label className="builder-part" htmlFor={`${id}-measure`}>
        {texts.measure}
        <select
          id={`${id}-measure`}
          className="input"
          value={measureKey(measure)}
          onChange={(event) => {
            const chosen = measures.find((each) => measureKey(each) === event.target.value);
            if (chosen !== undefined) onChange({ measure: chosen });
          }}
        >
          {measures.map((each) => (
            <option key={measureKey(each)} value={measureKey(each)}>
              {measureText(type, each)}
            </option>
          ))}
        </select>
      </label>
      {Array.from({ length: shown }, (_, index) => (
        <GroupPart
          // biome-ignore lint/suspicious/noArrayIndexKey: a group is known by its place.
          key={index}
          label={index === 0 ? texts.groupedBy : texts.thenBy}
          type={type}
          group={groups[index]}
          onChange={(group) => replace(index, group)}
        />
      ))}
      <span className="grow" />
      <Switch
        label={texts.form}
        choices={chartsOf(type, groups, measure, isStages).map((each) => [each, texts.charts[each]] as const)}
        current={chart}
        onChoose={(chosen) => onChange({ chart: chosen })}
      />
    </div>
  );
}

export function measureText(type: TypeDetail, { function: fn, property }: Report['measure']): string {
  const label = type.byName.get(property ?? '')?.label;
  return label === undefined ? texts.numberOf(type.plural_label) : texts.measureOf[fn](label);
}

interface GroupProps {
  readonly label: string;
  readonly type: TypeDetail;
  readonly group: GroupChoice | undefined;
  readonly onChange: (group: GroupChoice | undefined) => void;
}

function GroupPart({ label, type, group, onChange }: GroupProps) {
  const id = useId();
  const choose = (name: string) => {
    const isOverTime = type.byName.get(name)?.type.granularities !== undefined;
    onChange(name === '' ? undefined : isOverTime ? { name, granularity: 'month' } : { name });
  };
  const offered = granularities.filter(
    (each) => type.byName.get(group?.name ?? '')?.type.granularities?.includes(each) === true,
  );
  return (
    <div className="builder-part">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={group?.name ?? ''} onChange={(event) => choose(event.target.value)}>
        <option value="">{texts.nothing}</option>
        <optgroup label={texts.links}>
          {[...new Map(type.links.map((link) => [linkColumnName(link), link]))].map(([name, link]) => (
            <option key={name} value={name}>
              {link.label}
            </option>
          ))}
        </optgroup>
        <optgroup label={texts.properties}>
          {groupProperties(type).map(({ name, label: text }) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </optgroup>
      </select>
      {group?.granularity !== undefined && (
        <select
          className="input"
          aria-label={`${label}: ${texts.granularity}`}
          value={group.granularity}
          onChange={(event) => {
            const granularity = offered.find((each) => each === event.target.value);
            if (granularity !== undefined) onChange({ name: group.name, granularity });
          }}
        >
          {offered.map((each) => (
            <option key={each} value={each}>
              {texts.granularities[each]}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
