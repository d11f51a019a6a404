// What many records get: a value, or a link.
import { useState } from 'react';
import type { Value } from '../../../client/main.ts';
import { searchedType } from '../../data/other-end.ts';
import { type TypeDetail, useCatalog, useMaybeType } from '../../data/schema.ts';
import { isKnown } from '../../fields/index.ts';
import { texts } from '../../text/texts.ts';
import { Dialog } from '../dialog.tsx';
import { RecordSearch } from '../record-search.tsx';
import { ValueEditor } from '../values/value-editor.tsx';

interface Props {
  readonly type: TypeDetail;
  readonly onClose: () => void;
}

export function ChangeDialog({
  type,
  onClose,
  onChoose,
}: Props & { readonly onChoose: (name: string, value: Value | null) => void }) {
  const choices = type.properties.filter(({ read_only: readOnly, field_type: field }) => !readOnly && isKnown(field));
  const [name, setName] = useState(choices[0]?.name ?? '');
  const property = type.byName.get(name);
  return (
    <Dialog title={texts.changeValue} className="narrow" onClose={onClose}>
      <div className="editor">
        <select
          className="input"
          aria-label={texts.properties}
          value={name}
          onChange={(event) => setName(event.target.value)}
        >
          {choices.map((choice) => (
            <option key={choice.name} value={choice.name}>
              {choice.label}
            </option>
          ))}
        </select>
      </div>
      {property !== undefined && (
        <ValueEditor
          key={name}
          property={property}
          value={undefined}
          isForMany
          save={async (value) => onChoose(name, value)}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

/** Links of which the records are the sources, and whose other ends can be found. */
export function useBulkLinks(type: TypeDetail) {
  const { types } = useCatalog();
  return type.links.filter(
    (link) => link.direction === 'outgoing' && link.writable && types.some(({ name }) => name === searchedType(link)),
  );
}

export function LinkDialog({
  type,
  onClose,
  onChoose,
}: Props & { readonly onChoose: (association: string, targetId: string) => void }) {
  const links = useBulkLinks(type);
  const [at, setAt] = useState(0);
  const link = links[at];
  const other = useMaybeType(link === undefined ? undefined : searchedType(link));
  return (
    <Dialog title={texts.link} className="narrow" onClose={onClose}>
      <div className="editor">
        <select
          className="input"
          aria-label={texts.links}
          value={at}
          onChange={(event) => setAt(Number(event.target.value))}
        >
          {links.map((each, index) => (
            <option key={`${each.name} ${each.target_type}`} value={index}>
              {each.label}
            </option>
          ))}
        </select>
      </div>
      {link !== undefined && other !== undefined && (
        <RecordSearch key={`${link.name} ${other.name}`} type={other} onChoose={({ id }) => onChoose(link.name, id)} />
      )}
    </Dialog>
  );
}
