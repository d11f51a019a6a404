// The fields of a key beside its grants.
import { useId } from 'react';
import type { Row } from '../../../data/paged-rows.ts';
import type { KnownProperty } from '../../../fields/field.ts';
import { keyTexts } from '../../../text/key-texts.ts';
import { momentText } from '../../../text/locale.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { textOf } from '../parts/platform.ts';

/** In so many days, never, or as it is. */
export type Ends = '30' | '90' | '365' | 'never' | 'kept';

const dayMs = 86_400_000;

export function endsAt(ends: Exclude<Ends, 'kept'>): string | null {
  return ends === 'never' ? null : new Date(Date.now() + Number(ends) * dayMs).toISOString();
}

export function NameField({
  value,
  isFaulty,
  isReadOnly,
  onChange,
}: {
  readonly value: string;
  readonly isFaulty: boolean;
  readonly isReadOnly: boolean;
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="form-line">
      <label className="label" htmlFor={id}>
        {settingsTexts.name}
      </label>
      <input
        id={id}
        className="input"
        // biome-ignore lint/a11y/noAutofocus: a new one begins with its name.
        autoFocus={value === ''}
        aria-invalid={isFaulty}
        readOnly={isReadOnly}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

export function ReachField({
  property,
  value,
  isFixed,
  onChange,
}: {
  readonly property: KnownProperty | undefined;
  readonly value: string;
  readonly isFixed: boolean;
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="form-line">
      <label className="label" htmlFor={id}>
        {property?.label ?? keyTexts.reach}
      </label>
      <select
        id={id}
        className="input"
        disabled={isFixed}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {(property?.options ?? []).map((option) => (
          <option key={option.value} value={option.value}>
            {option.value === 'org' ? texts.wholeOrg : option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

export function EndsField({
  value,
  now,
  isReadOnly,
  onChange,
}: {
  readonly value: Ends;
  /** When an existing key ends; empty if never. */
  readonly now: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (value: Ends) => void;
}) {
  const id = useId();
  return (
    <div className="form-line">
      <label className="label" htmlFor={id}>
        {keyTexts.ends}
      </label>
      <select
        id={id}
        className="input"
        disabled={isReadOnly}
        value={value}
        onChange={(event) => onChange(event.target.value as Ends)}
      >
        {now !== undefined && <option value="kept">{now === '' ? keyTexts.never : momentText(now)}</option>}
        {(['30', '90', '365'] as const).map((days) => (
          <option key={days} value={days}>
            {keyTexts.inDays(Number(days))}
          </option>
        ))}
        {now !== '' && <option value="never">{keyTexts.never}</option>}
      </select>
    </div>
  );
}

export function MemberField({
  members,
  value,
  onChange,
}: {
  readonly members: readonly Row[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="form-line">
      <label className="label" htmlFor={id}>
        {keyTexts.actsFor}
      </label>
      <select id={id} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{texts.choose}</option>
        {members.map((member) => (
          <option key={member.id} value={member.id}>
            {textOf(member, 'svc_name')}
          </option>
        ))}
      </select>
    </div>
  );
}
