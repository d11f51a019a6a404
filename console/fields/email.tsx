// Email addresses, with a link that writes to them.
import type { Field } from './field.ts';
import { plain, typed } from './typed.tsx';

export const email: Field = {
  text: plain,
  Show: ({ value }) => (
    <a className="link" href={`mailto:${encodeURIComponent(plain(value)).replace('%40', '@')}`}>
      {plain(value)}
    </a>
  ),
  Edit: typed({ type: 'text', inputMode: 'email', maxLength: 254 }),
  width: 210,
};
