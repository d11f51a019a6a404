// One of the options of the property.
import { chosen } from './chosen.tsx';
import type { Field, KnownProperty } from './field.ts';
import { plain } from './typed.tsx';

function optionsOf({ options = [] }: KnownProperty) {
  return options;
}

export const select: Field = {
  // An option that was deleted is shown by its value.
  text: (value, property) => optionsOf(property).find((option) => option.value === value)?.label ?? plain(value),
  Edit: chosen(optionsOf),
  width: 120,
  isChosen: true,
};
