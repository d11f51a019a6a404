// Numbers, grouped as the reader writes them.
import { numberText } from '../text/locale.ts';
import type { Field } from './field.ts';
import { plain, typed } from './typed.tsx';

export const number: Field = {
  text: (value) => numberText(plain(value)),
  Edit: typed({ inputMode: 'decimal' }),
  align: 'end',
  width: 120,
};
