// The first rows as they will be stored: what a person would look at before they believe it.
import type { Plan, Preview, PreviewRow } from '../../../data/import/messages.ts';
import type { TypeDetail } from '../../../data/schema.ts';
import type { KnownProperty } from '../../../fields/field.ts';
import { fieldOf } from '../../../fields/index.ts';
import { Value } from '../../../parts/values/value.tsx';
import { importTexts } from '../../../text/import-texts.ts';
import { textOf } from './column-uses.ts';

interface Props {
  readonly type: TypeDetail;
  readonly plan: Plan;
  readonly preview: Preview;
}

export function PreviewTable({ type, plan, preview }: Props) {
  const uses = plan.columns.map(({ use }) => use);
  const names = new Set(uses.flatMap((use) => (use.kind === 'property' ? use.property : [])));
  const properties = [...names].flatMap((name) => type.byName.get(name) ?? []);
  const links = new Map(uses.flatMap((use) => (use.kind === 'link' ? [[use.association, textOf(type, use)]] : [])));
  const hasIds = uses.some(({ kind }) => kind === 'external_id');
  return (
    <section className="import-part" aria-label={importTexts.preview}>
      <h3>{importTexts.preview}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard. */}
      <div className="import-scroll" tabIndex={0} role="group" aria-label={importTexts.preview}>
        <table className="import-preview">
          <thead>
            <tr>
              <th scope="col">{importTexts.line}</th>
              {properties.map(({ name, label, field_type: fieldType }) => (
                <th key={name} scope="col" className={fieldOf(fieldType).align}>
                  {label}
                </th>
              ))}
              {[...links].map(([association, label]) => (
                <th key={association} scope="col">
                  {label}
                </th>
              ))}
              {hasIds && <th scope="col">{importTexts.externalId}</th>}
            </tr>
          </thead>
          <tbody>
            {preview.rows.map((row) => (
              <Row
                key={row.line}
                row={row}
                plan={plan}
                properties={properties}
                links={[...links.keys()]}
                hasIds={hasIds}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface RowProps {
  readonly row: PreviewRow;
  readonly plan: Plan;
  readonly properties: readonly KnownProperty[];
  readonly links: readonly string[];
  readonly hasIds: boolean;
}

/** A cell that cannot be read says why, in the place of its value. */
function Row({ row, plan, properties, links, hasIds }: RowProps) {
  const faultsOf = (isMeant: (index: number) => boolean) =>
    row.faults.filter(({ column }) => column !== undefined && isMeant(column)).map(({ detail }) => detail);
  const decided = (index: number) => plan.columns[index]?.use;
  const ofRow = row.faults.filter(({ column }) => column === undefined).map(({ detail }) => detail);
  return (
    <tr>
      <th scope="row" className="figures">
        {row.line}
        <Faults details={ofRow} />
      </th>
      {properties.map((property) => (
        <td key={property.name} className={fieldOf(property.field_type).align}>
          <Value value={row.values[property.name]} property={property} look="plain" />
          <Faults
            details={faultsOf((index) => {
              const use = decided(index);
              return (use?.kind === 'property' || use?.kind === 'unit') && use.property === property.name;
            })}
          />
        </td>
      ))}
      {links.map((association) => (
        <td key={association}>
          {row.links
            .filter((link) => link.association === association)
            .map(({ text }) => text)
            .join(', ')}
          <Faults
            details={faultsOf((index) => {
              const use = decided(index);
              return use?.kind === 'link' && use.association === association;
            })}
          />
        </td>
      ))}
      {hasIds && (
        <td>
          {row.externalId}
          <Faults details={faultsOf((index) => decided(index)?.kind === 'external_id')} />
        </td>
      )}
    </tr>
  );
}

function Faults({ details }: { readonly details: readonly string[] }) {
  return details.map((detail) => (
    <span key={detail} className="import-cell-fault" title={detail}>
      {detail}
    </span>
  ));
}
