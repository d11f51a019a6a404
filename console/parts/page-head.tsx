// The head of a page about a type: its name, its pages, the request behind it, and what can be made.
import { useState } from 'react';
import { Link, useSearch } from 'wouter';
import { paths } from '../app/routes.ts';
import { clientText, curlText, type ShownRequest } from '../data/request-text.ts';
import { type ViewKind, withoutView } from '../data/saved-views.ts';
import { stageLinksOf, type TypeDetail } from '../data/schema.ts';
import { texts } from '../text/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { SaveViewButton } from './save-view.tsx';

interface Props {
  readonly type: TypeDetail;
  readonly current: ViewKind;
  readonly request: ShownRequest;
  readonly onCreate?: () => void;
  /** What follows `?` in the address of the view that would be saved, if that is more than the address of the page says. */
  readonly saved?: string;
}

export function PageHead({ type, current, request, onCreate, saved }: Props) {
  // Another page of the type is not the saved view that was opened.
  const search = withoutView(useSearch());
  const kept = search === '' ? '' : `?${search}`;
  const pages = [
    { key: 'table', icon: 'table', label: texts.table, path: paths.table(type.name) },
    ...(stageLinksOf(type).length === 0
      ? []
      : [{ key: 'board', icon: 'board', label: texts.board, path: paths.board(type.name) } as const]),
    { key: 'report', icon: 'chart', label: texts.report, path: paths.report(type.name) },
  ] as const;
  return (
    <header className="page-head">
      <h1>{type.plural_label}</h1>
      <div className="tabs">
        {pages.map(({ key, icon, label, path }) => (
          <Link key={key} href={path + kept} className="tab" aria-current={key === current ? 'page' : undefined}>
            <Icon name={icon} />
            {label}
          </Link>
        ))}
      </div>
      <span className="grow" />
      <RequestButton request={request} />
      <SaveViewButton type={type} kind={current} search={saved} />
      {onCreate !== undefined && type.writable_operations.includes('create') && (
        <Button look="primary" icon="plus" onClick={onCreate}>
          {texts.newRecord(type.label)}
        </Button>
      )}
    </header>
  );
}

/** "Show request": the same as the page, as curl and as code. */
export function RequestButton({ request }: { readonly request: ShownRequest | readonly ShownRequest[] }) {
  const [form, setForm] = useState<'curl' | 'client'>('curl');
  const [isCopied, setCopied] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const requests = [request].flat();
  const text = form === 'curl' ? curlText(requests, location.origin) : clientText(requests, location.origin);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <>
      <Button
        look="quiet"
        icon="code"
        className="show-request"
        aria-label={texts.showRequest}
        onClick={() => setOpen(true)}
      >
        <span>{texts.showRequest}</span>
      </Button>
      {isOpen && (
        <Dialog
          title={texts.request}
          className="wide"
          onClose={() => setOpen(false)}
          head={
            <>
              <div className="tabs">
                {(['curl', 'client'] as const).map((each) => (
                  <button
                    key={each}
                    type="button"
                    className="tab"
                    aria-pressed={form === each}
                    onClick={() => setForm(each)}
                  >
                    {each === 'curl' ? 'curl' : '@orrery/client'}
                  </button>
                ))}
              </div>
              <Button icon="copy" onClick={() => void copy()}>
                {isCopied ? texts.copied : texts.copy}
              </Button>
            </>
          }
        >
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long code is scrolled by keyboard. */}
          <pre className="code" tabIndex={0}>
            {text}
          </pre>
        </Dialog>
      )}
    </>
  );
}
