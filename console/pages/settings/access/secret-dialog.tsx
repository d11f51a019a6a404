// The secret of a key is shown once, here, and is nowhere else: neither in the page's memory nor in what the service stores.
import { useState } from 'react';
import { api } from '../../../data/api.ts';
import { asText } from '../../../data/as-text.ts';
import type { Row } from '../../../data/paged-rows.ts';
import type { TypeDetail } from '../../../data/schema.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { keyTexts } from '../../../text/key-texts.ts';
import { Copyable } from '../parts/copy.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { textOf, useWrite } from '../parts/platform.ts';

interface Props {
  readonly name: string;
  readonly secret: string;
  readonly onClose: () => void;
}

export function SecretDialog({ name, secret, onClose }: Props) {
  return (
    <Dialog title={keyTexts.secretOf(name)} className="secret" onClose={onClose}>
      <div className="form-scroll">
        <p className="warning-line">
          <Icon name="key" />
          {keyTexts.shownOnce}
        </p>
        <Copyable label={keyTexts.secret} text={secret} />
        <p className="quiet">{keyTexts.howToUse}</p>
        <code className="mono">Authorization: Bearer $ORRERY_KEY</code>
      </div>
      <footer className="dialog-foot">
        <Button look="primary" onClick={onClose}>
          {keyTexts.kept}
        </Button>
      </footer>
    </Dialog>
  );
}

interface RotateProps {
  readonly record: Row;
  readonly type: TypeDetail;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

/** A new secret; the former one works for the time that is chosen. */
export function RotateDialog({ record, type, onClose, onSecret }: RotateProps) {
  const write = useWrite();
  const name = textOf(record, 'svc_name');
  const options = type.byName.get('svc_rotation')?.options ?? [];
  const [chosen, setChosen] = useState(options.at(-1)?.value ?? 'now');
  return (
    <FormDialog
      title={keyTexts.rotateTitle(name)}
      submit={keyTexts.rotate}
      onClose={onClose}
      onSubmit={async () => {
        const update = () => api.records('svc_access_key').update(record.id, { svc_rotation: chosen });
        const { data } = await write(update, keyTexts.rotated(name), 'final');
        onSecret(asText(data.properties['svc_key']));
      }}
    >
      {() => (
        <fieldset className="role-choice">
          <legend className="label">{keyTexts.formerEnds}</legend>
          {options.map(({ value, label }) => (
            <label key={value} className="choice">
              <input type="radio" name="rotation" checked={chosen === value} onChange={() => setChosen(value)} />
              {label}
            </label>
          ))}
        </fieldset>
      )}
    </FormDialog>
  );
}
