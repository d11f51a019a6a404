// Countries, by their names in the reader's language.
import { countryText } from '../text/locale.ts';
import { type Choice, chosen } from './chosen.tsx';
import { codesOf, type Field, type KnownProperty } from './field.ts';
import { plain } from './typed.tsx';

/** In the order of their names, which depends on the language. */
export function countriesOf(property: KnownProperty, member?: string): readonly Choice[] {
  return codesOf(property, member)
    .map((value) => ({ value, label: countryText(value) }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
}

export const country: Field = {
  text: (value) => countryText(plain(value)),
  Edit: chosen((property) => countriesOf(property)),
  width: 140,
  isChosen: true,
};
