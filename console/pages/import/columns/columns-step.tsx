// What each column of the file becomes: guessed, and changed by hand.
import { useMemo } from 'react';
import type { Choice, ColumnUse, ImportState, Plan } from '../../../data/import/messages.ts';
import { type TypeDetail, useCatalog } from '../../../data/schema.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { importTexts } from '../../../text/import-texts.ts';
import { Pick } from '../pick.tsx';
import { ColumnRow } from './column-row.tsx';
import { choicesFor, confirmed, isGuess } from './column-uses.ts';
import { PreviewTable } from './preview-table.tsx';

interface Props {
  readonly type: TypeDetail;
  readonly plan: Plan;
  readonly preview: ImportState['preview'];
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}

export function ColumnsStep({ type, plan, preview, choice, onChoose }: Props) {
  const { types } = useCatalog();
  const choices = useMemo(() => choicesFor(type, types), [type, types]);
  const { columns, faults } = plan;
  const decide = (uses: Readonly<Record<number, ColumnUse>>) =>
    onChoose({ ...choice, columns: { ...choice.columns, ...uses } });
  const guesses = columns.flatMap(({ use }, index) => (isGuess(use) ? [[index, confirmed(use)] as const] : []));
  return (
    <>
      <PlanFaults plan={plan} />
      <div className="import-options">
        <MatchPick type={type} plan={plan} choice={choice} onChoose={onChoose} />
        <span className="grow" />
        {guesses.length > 0 && (
          <p className="import-guesses">
            <Icon name="warning" />
            {importTexts.unsure(guesses.length)}
            <Button size="small" onClick={() => decide(Object.fromEntries(guesses))}>
              {importTexts.confirmAll}
            </Button>
          </p>
        )}
      </div>
      <table className="import-columns" aria-label={importTexts.columns}>
        <thead>
          <tr>
            <th scope="col">{importTexts.column}</th>
            <th scope="col">{importTexts.usedFor}</th>
            <th scope="col">{importTexts.details}</th>
          </tr>
        </thead>
        <tbody>
          {columns.map((column, index) => (
            <ColumnRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is known by its place.
              key={index}
              place={index}
              type={type}
              column={column}
              choices={choices}
              faults={faults.filter((fault) => fault.column === index)}
              onUse={(use) => decide({ [index]: use })}
            />
          ))}
        </tbody>
      </table>
      {preview !== undefined && <PreviewTable type={type} plan={plan} preview={preview} />}
    </>
  );
}

/** What is wrong with the whole, and where the first column is that needs somebody. */
function PlanFaults({ plan: { faults } }: { readonly plan: Plan }) {
  const whole = faults.filter(({ column }) => column === undefined);
  const faulty = new Set(faults.flatMap(({ column }) => column ?? []));
  if (faults.length === 0) return null;
  return (
    <div className="import-problem" role="alert">
      {whole.map(({ detail }) => (
        <p key={detail}>{detail}</p>
      ))}
      {faulty.size > 0 && (
        <p>
          {importTexts.faults(faulty.size)}
          {'. '}
          <button type="button" className="text-button" onClick={goToFault}>
            {importTexts.showFault}
          </button>
        </p>
      )}
    </div>
  );
}

/** The first field that needs somebody, or else the first column that has a fault. */
export function goToFault(): void {
  const row = document.querySelector('.import-columns [data-faulty]');
  const field = row?.querySelector<HTMLElement>('[aria-invalid]') ?? row?.querySelector<HTMLElement>('button');
  field?.scrollIntoView({ block: 'center' });
  field?.focus();
}

/** How rows find records that exist. */
function MatchPick({ type, plan, choice, onChoose }: Omit<Props, 'preview'>) {
  const labelOf = (name: string) =>
    name === 'external_id' ? importTexts.byExternalId : (type.byName.get(name)?.label ?? name).toLowerCase();
  const { match: _, ...unmatched } = choice;
  if (plan.matches.length === 0) return null;
  return (
    <Pick
      label={importTexts.match}
      value={plan.match ?? ''}
      choices={[
        ['', importTexts.matchNone],
        ...plan.matches.map((name) => [name, importTexts.matchBy(labelOf(name))] as const),
      ]}
      onChoose={(match) => onChoose(match === '' ? unmatched : { ...unmatched, match })}
    />
  );
}
