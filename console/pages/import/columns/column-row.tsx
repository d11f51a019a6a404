// One column of the file: its name and a few of its cells, what it becomes, and how it is read. What is wrong stands with it.
import type { ColumnUse, PlanFault, PlannedColumn } from '../../../data/import/messages.ts';
import type { TypeDetail } from '../../../data/schema.ts';
import { Button } from '../../../parts/button.tsx';
import { importTexts } from '../../../text/import-texts.ts';
import { ColumnDetails } from './column-details.tsx';
import { confirmed, isGuess, keyOf, textOf, type UseChoice } from './column-uses.ts';
import { UsePicker } from './use-picker.tsx';

interface Props {
  readonly place: number;
  readonly type: TypeDetail;
  readonly column: PlannedColumn;
  readonly choices: readonly UseChoice[];
  readonly faults: readonly PlanFault[];
  readonly onUse: (use: ColumnUse) => void;
}

export function ColumnRow({ place, type, column, choices, faults, onUse }: Props) {
  const { use, samples } = column;
  const header = headerOf(column, place);
  const isIgnored = use.kind === 'ignored';
  return (
    <tr data-faulty={faults.length > 0 || undefined} data-ignored={isIgnored || undefined}>
      <th scope="row">
        <span className="import-header">{header}</span>
        <span className="import-samples">
          {samples.length === 0 ? importTexts.emptyColumn : samples.map((text) => <Sample key={text} text={text} />)}
        </span>
      </th>
      <td>
        <UsePicker
          label={importTexts.usedForOf(header)}
          current={textOf(type, use)}
          currentKey={keyOf(use)}
          isQuiet={isIgnored}
          choices={choices}
          onChoose={(choice) => choice.key !== keyOf(use) && onUse(choice.use)}
        />
        {isGuess(use) && (
          <p className="import-guess">
            <span className="tag warn">{importTexts.guess}</span>
            <Button
              look="quiet"
              size="small"
              icon="check"
              aria-label={importTexts.confirmOf(header)}
              onClick={() => onUse(confirmed(use))}
            >
              {importTexts.confirm}
            </Button>
          </p>
        )}
      </td>
      <td>
        <div className="import-details">
          <ColumnDetails
            type={type}
            column={{ ...column, header }}
            faults={faults}
            // Whoever says how a guess is read has agreed to it.
            onUse={(next) => onUse(confirmed(next))}
          />
        </div>
        {faults.map(({ detail }) => (
          <p key={detail} className="problem">
            {detail}
          </p>
        ))}
      </td>
    </tr>
  );
}

export function headerOf({ header }: PlannedColumn, place: number): string {
  return header.trim() === '' ? importTexts.noHeader(place + 1) : header;
}

function Sample({ text }: { readonly text: string }) {
  return (
    <span className="import-sample one-line" title={text}>
      {text}
    </span>
  );
}
