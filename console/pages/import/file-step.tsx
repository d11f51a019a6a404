// A file comes in: dropped or chosen, and read to its end.
import { useId } from 'react';
import type { ImportState } from '../../data/import/messages.ts';
import { Icon } from '../../parts/icon.tsx';
import { importTexts } from '../../text/import-texts.ts';
import { percentText } from '../../text/locale.ts';

interface Props {
  readonly reading: ImportState['reading'];
  readonly isOver: boolean;
  readonly onFile: (file: File) => void;
}

export function FileStep({ reading, isOver, onFile }: Props) {
  if (reading !== undefined) {
    const share = reading.of === 0 ? 1 : reading.bytes / reading.of;
    return (
      <div className="import-drop">
        <h2 data-lead tabIndex={-1}>
          {importTexts.reading}
        </h2>
        <progress aria-label={importTexts.reading} value={share} max={1} />
        <p className="quiet figures">{importTexts.readingShare(percentText(share))}</p>
      </div>
    );
  }
  return (
    <div className="import-drop" data-over={isOver || undefined}>
      <Icon name="upload" />
      <h2 data-lead tabIndex={-1}>
        {importTexts.drop}
      </h2>
      <FileButton look="primary" label={importTexts.chooseFile} onFile={onFile} />
      <p className="quiet">{importTexts.dropHint}</p>
      <p className="quiet">
        {importTexts.fromSheet}{' '}
        <a className="link" href="/docs/import-a-spreadsheet/" target="_blank" rel="noopener">
          {importTexts.guide}
        </a>
      </p>
    </div>
  );
}

interface FileButtonProps {
  readonly look: 'primary' | 'plain';
  readonly label: string;
  readonly onFile: (file: File) => void;
}

/** A field for a file that looks like the other buttons. */
export function FileButton({ look, label, onFile }: FileButtonProps) {
  const id = useId();
  return (
    <span className="file-button">
      <input
        id={id}
        type="file"
        className="sr-only"
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) onFile(file);
          // The same file can be chosen again once it is mended.
          target.value = '';
        }}
      />
      <label htmlFor={id} className={`button ${look}`}>
        {label}
      </label>
    </span>
  );
}
