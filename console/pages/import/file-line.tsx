// What came in, and what its rows are.
import { useLocation } from 'wouter';
import { paths } from '../../app/routes.ts';
import { canImport, type TypeDetail, useCatalog } from '../../data/schema.ts';
import { Icon } from '../../parts/icon.tsx';
import { importTexts } from '../../text/import-texts.ts';
import { FileButton } from './file-step.tsx';
import type { HeldImport } from './held-import.ts';
import { Pick } from './pick.tsx';
import type { Step } from './steps.ts';

interface Props {
  readonly type: TypeDetail;
  readonly held: HeldImport;
  readonly step: Step;
}

export function FileLine({ type, held, step }: Props) {
  const { types } = useCatalog();
  const [, go] = useLocation();
  const { file } = held.state;
  return (
    <div className="import-file">
      <Pick
        label={importTexts.into}
        value={type.name}
        choices={types.filter(canImport).map(({ name, plural_label: label }) => [name, label] as const)}
        onChoose={(name) => go(paths.import(name))}
      />
      {file !== undefined && step === 'columns' && (
        <>
          <div className="import-file-facts">
            <h2 data-lead tabIndex={-1} className="one-line" title={file.name}>
              <Icon name="table" />
              {file.name}
            </h2>
            <p className="quiet figures">
              {[
                importTexts.rows(file.rowCount),
                importTexts.form(importTexts.delimiters[file.delimiter] ?? file.delimiter, file.encoding.toUpperCase()),
                ...(file.notesSkipped > 0 ? [importTexts.notesSkipped(file.notesSkipped)] : []),
              ].join(' · ')}
            </p>
          </div>
          <FileButton look="plain" label={importTexts.otherFile} onFile={held.open} />
        </>
      )}
    </div>
  );
}
