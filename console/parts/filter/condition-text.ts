// A condition in words: what it is about, how, and with which value.
import type { Operator } from '../../../client/main.ts';
import { asText } from '../../data/as-text.ts';
import type { TypeDetail } from '../../data/schema.ts';
import type { Condition } from '../../data/view.ts';
import type { KnownProperty, Single } from '../../fields/field.ts';
import { fieldOf } from '../../fields/index.ts';
import { listText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';

export function operatorText(operator: Operator, property: KnownProperty): string {
  const isTime = property.field_type === 'date' || property.field_type === 'datetime';
  const timed: Partial<Record<Operator, string>> = texts.timeOperators;
  return (isTime ? timed[operator] : undefined) ?? texts.operators[operator];
}

export interface ConditionText {
  readonly name: string;
  readonly words: string;
  readonly value: string;
}

/** `target` is the title of the record that a condition about an association names. */
export function conditionText(type: TypeDetail, condition: Condition, target: string | undefined): ConditionText {
  if ('association' in condition) {
    const link = type.links.find(({ name }) => name === condition.association);
    const name = link?.label ?? condition.association;
    if (condition.target_id !== undefined) {
      return { name, words: texts.operators[condition.operator === 'exists' ? 'eq' : 'neq'], value: target ?? '…' };
    }
    return { name, words: texts.operators[condition.operator === 'exists' ? 'is_set' : 'is_not_set'], value: '' };
  }
  const property = type.byName.get(condition.property);
  if (property === undefined)
    return { name: condition.property, words: texts.operators[condition.operator], value: '' };
  const words = operatorText(condition.operator, property);
  return { name: property.label, words, value: valueWords(condition, property) };
}

function valueWords({ operator, value }: Extract<Condition, { property: string }>, property: KnownProperty): string {
  if (value === undefined || value === null) return '';
  if (['contains', 'not_contains', 'starts_with', 'ends_with'].includes(operator)) return asText(value);
  const words = (each: unknown) => fieldOf(property.field_type).text(each as Single, property);
  if (!Array.isArray(value)) return words(value);
  return operator === 'between' ? value.map(words).join(' – ') : listText(value.map(words));
}

/** Whether what the condition names does not exist any more: a property, an association or an option. */
export function isGone(type: TypeDetail, condition: Condition): boolean {
  if ('association' in condition) return !type.links.some(({ name }) => name === condition.association);
  const property = type.byName.get(condition.property);
  if (property === undefined || !property.type.filter_operators.includes(condition.operator)) return true;
  if (property.options === undefined) return false;
  const values = Array.isArray(condition.value) ? condition.value : [condition.value];
  return values.some((value) => value !== undefined && !property.options?.some((option) => option.value === value));
}
