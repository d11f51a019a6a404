// How the cells of a column are read: asked only where they leave it open.
import { useQueries } from '@tanstack/react-query';
import { useId } from 'react';
import { type LinkUse, missingModes } from '../../../../client/import/column-use.ts';
import type { ColumnUse, PlanFault, PlannedColumn } from '../../../data/import/messages.ts';
import { type TypeDetail, typeQuery, useCatalog } from '../../../data/schema.ts';
import { codesOf } from '../../../fields/field.ts';
import { importTexts } from '../../../text/import-texts.ts';
import { countryText } from '../../../text/locale.ts';
import { Pick } from '../pick.tsx';
import { targetsOf, waysOf } from './column-uses.ts';
import { askedOf } from './written-as.ts';

interface Props {
  readonly type: TypeDetail;
  readonly column: PlannedColumn;
  readonly faults: readonly PlanFault[];
  readonly onUse: (use: ColumnUse) => void;
}

export function ColumnDetails({ type, column, faults, onUse }: Props) {
  const { use, header } = column;
  if (use.kind === 'link') return <LinkDetails type={type} header={header} use={use} onUse={onUse} />;
  if (use.kind === 'external_id') {
    return <SystemField header={header} source={use.source} onChange={(source) => onUse({ ...use, source })} />;
  }
  if (use.kind !== 'property') return null;
  return <Written type={type} column={column} use={use} faults={faults} onUse={onUse} />;
}

function Written({
  type,
  column,
  use,
  faults,
  onUse,
}: Props & { readonly use: Extract<ColumnUse, { kind: 'property' }> }) {
  const { header: of } = column;
  const property = type.byName.get(use.property);
  const { dates, decimal, country, currency, timeZone } = askedOf(column, property, faults);
  const isOpen = (value: string | undefined) =>
    value === undefined && faults.some(({ choose }) => choose !== undefined);
  if (property === undefined) return null;
  return (
    <>
      {dates !== undefined && (
        <Pick
          label={importTexts.dateFormat}
          of={of}
          isInvalid={isOpen(use.dates)}
          value={use.dates ?? ''}
          choices={withOpen(use.dates, dates)}
          onChoose={(value) => value !== '' && onUse({ ...use, dates: value })}
        />
      )}
      {decimal !== undefined && (
        <Pick
          label={importTexts.decimal}
          of={of}
          isInvalid={isOpen(use.decimal)}
          value={use.decimal ?? ''}
          choices={withOpen(use.decimal, decimal, importTexts.decimalMarks)}
          onChoose={(value) => value !== '' && onUse({ ...use, decimal: value })}
        />
      )}
      {currency !== undefined && (
        <Pick
          label={importTexts.currency}
          of={of}
          isInvalid={isOpen(use.currency)}
          value={use.currency ?? ''}
          choices={withOpen(
            use.currency,
            codesOf(property, 'unit').map((value) => ({ value })),
          )}
          onChoose={(value) => value !== '' && onUse({ ...use, currency: value })}
        />
      )}
      {country !== undefined && (
        <Pick
          label={importTexts.country}
          of={of}
          value={use.country ?? ''}
          choices={[['', importTexts.noCountry], ...countriesOf(codesOf(property, 'country_code'))]}
          onChoose={(value) => onUse(replaced(use, 'country', value))}
        />
      )}
      {timeZone !== undefined && (
        <Pick
          label={importTexts.timeZone}
          of={of}
          value={use.timeZone ?? 'UTC'}
          choices={timeZones().map((name) => [name, name] as const)}
          onChoose={(value) => onUse(replaced(use, 'timeZone', value))}
        />
      )}
    </>
  );
}

/** The readings, and before them that none is chosen as long as that is so. */
function withOpen<Value extends string>(
  chosen: Value | undefined,
  readings: readonly { readonly value: Value; readonly example?: string }[],
  names?: Readonly<Record<Value, string>>,
): readonly (readonly [Value | '', string])[] {
  const all = readings.map(({ value, example }) => {
    const name = names?.[value] ?? value;
    return [value, example === undefined ? name : `${name} (${example})`] as const;
  });
  return chosen === undefined ? [['', importTexts.chooseReading], ...all] : all;
}

/** Without the member if nothing is chosen. */
function replaced<Use extends ColumnUse>(use: Use, name: 'country' | 'timeZone', value: string): Use {
  const { [name]: _, ...rest } = use as Use & Record<typeof name, string | undefined>;
  return (value === '' ? rest : { ...rest, [name]: value }) as Use;
}

function countriesOf(codes: readonly string[]): readonly (readonly [string, string])[] {
  return codes.map((code) => [code, countryText(code)] as const).toSorted(([, a], [, b]) => a.localeCompare(b));
}

/** Those of the browser; UTC first. */
function timeZones(): readonly string[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [...new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')])];
}

interface LinkProps {
  readonly type: TypeDetail;
  readonly header: string;
  readonly use: LinkUse;
  readonly onUse: (use: ColumnUse) => void;
}

function LinkDetails({ type, header, use, onUse }: LinkProps) {
  const { types } = useCatalog();
  const targets = targetsOf(type, use.association, types);
  const details = useQueries({ queries: targets.map(({ name }) => typeQuery(name)) }).flatMap(({ data }) => data ?? []);
  const labelOf = (name: string) => details.find(({ byName }) => byName.has(name))?.byName.get(name)?.label ?? name;
  const canCreate = details.length === 1 && details.every((target) => isMadeFrom(target, use.by));
  return (
    <>
      <Pick
        label={importTexts.by}
        of={header}
        value={use.by}
        choices={waysOf(targets, labelOf)}
        onChoose={(by) => onUse(linkBy(use, by))}
      />
      {use.by === 'external_id' && (
        <SystemField header={header} source={use.source ?? ''} onChange={(source) => onUse({ ...use, source })} />
      )}
      <Pick
        label={importTexts.missing}
        of={header}
        value={use.missing}
        choices={missingModes
          .filter((mode) => mode !== 'create' || canCreate || use.missing === mode)
          .map((mode) => [mode, importTexts.missingModes[mode]] as const)}
        onChoose={(missing) => onUse({ ...use, missing })}
      />
    </>
  );
}

function linkBy({ source, ...use }: LinkUse, by: string): LinkUse {
  const missing = by === 'id' && use.missing === 'create' ? 'refuse' : use.missing;
  return { ...use, by, missing, ...(by === 'external_id' ? { source: source ?? '' } : {}) };
}

/** Whether one value is enough to make a record of the type. */
function isMadeFrom({ name, title_property: title, properties, writable_operations: can }: TypeDetail, by: string) {
  const property = by === 'title' ? title : by;
  const isEnough = properties.every((each) => !each.required || each.name === property);
  return name !== 'svc_member' && by !== 'id' && can.includes('create') && isEnough;
}

/** The system whose ids a column has. What is typed is taken when the field is left. */
function SystemField({
  header,
  source,
  onChange,
}: {
  readonly header: string;
  readonly source: string;
  readonly onChange: (source: string) => void;
}) {
  const id = useId();
  return (
    <div className="import-pick">
      <label className="label" htmlFor={id}>
        <span>
          <span className="sr-only">{`${header}: `}</span>
          {importTexts.system}
        </span>
      </label>
      <input
        key={source}
        id={id}
        className="input"
        defaultValue={source}
        maxLength={64}
        placeholder="hubspot"
        aria-invalid={source === '' || undefined}
        onBlur={({ target }) => target.value.trim() !== source && onChange(target.value.trim())}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      />
    </div>
  );
}
