// A line of text.
import type { Field } from './field.ts';
import { plain, typed } from './typed.tsx';

export const text: Field = { text: plain, Edit: typed({ maxLength: 1_024 }), width: 180 };
