// A text to be taken along: a link, a secret, a command.
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { settingsTexts } from '../../../text/settings-texts.ts';

export function CopyButton({ text, look = 'plain' }: { readonly text: string; readonly look?: 'plain' | 'primary' }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <Button look={look} icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
      {isCopied ? settingsTexts.copied : settingsTexts.copy}
    </Button>
  );
}

export function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="copyable">
      <input
        className="input mono"
        aria-label={label}
        readOnly
        value={text}
        onFocus={(event) => event.target.select()}
      />
      <CopyButton text={text} />
    </div>
  );
}
