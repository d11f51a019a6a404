// The rows that were refused: the first of them with their reasons, and all of them as a file that can be mended and imported.
import { useEffect, useState } from 'react';
import { CsvReader } from '../../../../client/import/files/csv-rows.ts';
import { saveFile } from '../../../data/csv.ts';
import type { Progress } from '../../../data/import/messages.ts';
import type { ImportSession } from '../../../data/import/session.ts';
import { Button } from '../../../parts/button.tsx';
import { importTexts } from '../../../text/import-texts.ts';

const shownRows = 5;
const shownCells = 3;
/** Enough for the first rows, unless they are very long. */
const shownBytes = 65_536;

interface RefusedRow {
  readonly cells: readonly string[];
  readonly reason: string;
}

interface ButtonProps {
  readonly session: ImportSession;
  readonly fileName: string;
  readonly refused: number;
}

export function RefusedButton({ session, fileName, refused }: ButtonProps) {
  const download = async () => saveFile(await session.refusedFile(), refusedName(fileName));
  return (
    <Button icon="download" onClick={() => void download()}>
      {importTexts.downloadRefused(refused)}
    </Button>
  );
}

/** Beside the file, as the command names it. */
function refusedName(fileName: string): string {
  return `${fileName.replace(/(?:\.errors)?\.[a-z]{1,4}$/i, '')}.errors.csv`;
}

export function RefusedRows({ session, progress }: { readonly session: ImportSession; readonly progress: Progress }) {
  const [found, setFound] = useState<{ readonly headers: readonly string[]; readonly rows: readonly RefusedRow[] }>();
  const { kind, state } = progress;
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once for each end of a run.
  useEffect(() => {
    let isWanted = true;
    void firstRows(session).then((rows) => isWanted && setFound(rows));
    return () => {
      isWanted = false;
    };
  }, [session, kind, state]);
  if (found === undefined || found.rows.length === 0) return null;
  const { headers, rows } = found;
  return (
    <section className="import-part" aria-label={importTexts.refusedRows}>
      <h3>{importTexts.refusedRows}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard. */}
      <div className="import-scroll" tabIndex={0} role="group" aria-label={importTexts.refusedRows}>
        <table className="import-preview">
          <thead>
            <tr>
              <th scope="col">{importTexts.reasons}</th>
              {headers.map((header, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is known by its place.
                <th key={index} scope="col">
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ cells, reason }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place.
              <tr key={index}>
                <td className="import-reason">{reason}</td>
                {headers.map((_, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a cell is known by its place.
                  <td key={at}>{cells[at]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="quiet">{importTexts.refusedHelp}</p>
    </section>
  );
}

/** The reasons are in the first column. */
async function firstRows(session: ImportSession) {
  const file = await session.refusedFile();
  const text = await file.slice(0, shownBytes).text();
  const reader = new CsvReader(',', shownBytes);
  const [header, ...rows] = reader.push(text.replace(/^\uFEFF/, ''));
  return {
    headers: (header?.cells ?? []).slice(1, 1 + shownCells),
    rows: rows.slice(0, shownRows).map(({ cells: [reason = '', ...cells] }) => ({ cells, reason })),
  };
}
