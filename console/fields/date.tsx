// Days, which have no time zone.
import { dateText } from '../text/locale.ts';
import type { Field } from './field.ts';
import { plain, typed } from './typed.tsx';

export const date: Field = {
  text: (value) => dateText(plain(value)),
  Edit: typed({ type: 'date' }),
  width: 120,
};
