// Domains, with a link to their page.
import type { Field } from './field.ts';
import { plain, typed } from './typed.tsx';
import { WebLink } from './url.tsx';

export const domain: Field = {
  text: plain,
  Show: ({ value }) => <WebLink address={`https://${plain(value)}`}>{plain(value)}</WebLink>,
  Edit: typed({ inputMode: 'url', placeholder: 'example.com' }),
  width: 180,
};
