// Time zones by their names.
import { chosen } from './chosen.tsx';
import { codesOf, type Field } from './field.ts';
import { plain } from './typed.tsx';

export const timezone: Field = {
  text: (value) => plain(value).replaceAll('_', ' '),
  Edit: chosen((property) => codesOf(property).map((value) => ({ value, label: value.replaceAll('_', ' ') }))),
  width: 160,
  isChosen: true,
};
