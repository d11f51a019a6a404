// Addresses of web pages; only http and https become links.
import type { Field } from './field.ts';
import { plain, typed } from './typed.tsx';

/** Only addresses of the web become links: a value can be anything that somebody wrote. */
export function WebLink({ address, children }: { readonly address: string; readonly children: string }) {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return children;
  return (
    <a className="link" href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

export const url: Field = {
  text: plain,
  Show: ({ value }) => <WebLink address={plain(value)}>{plain(value).replace(/^https?:\/\/(www\.)?/i, '')}</WebLink>,
  Edit: typed({ type: 'text', inputMode: 'url', maxLength: 2_048, placeholder: 'https://' }),
  width: 200,
};
