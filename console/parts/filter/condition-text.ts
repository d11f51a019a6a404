// Conditions in words: what they are about, how a property is compared, and with which value.
import type { Operator } from '../../../client/main.ts';
import { asText } from '../../data/as-text.ts';
import type { TypeDetail } from '../../data/schema.ts';
import type { Condition, PropertyCondition } from '../../data/view.ts';
import type { KnownProperty, Single } from '../../fields/field.ts';
import { fieldOf } from '../../fields/index.ts';
import { listText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';

export function operatorText(operator: Operator, property: KnownProperty): string {
  const isTime = property.field_type === 'date' || property.field_type === 'datetime';
  const timed: Partial<Record<Operator, string>> = texts.timeOperators;
  return (isTime ? timed[operator] : undefined) ?? texts.operators[operator];
}

/** What the condition is about. */
export function nameOf(type: TypeDetail, condition: Condition): string {
  if ('or' in condition) return condition.or.map((each) => nameOf(type, each))[0] ?? '';
  if ('not' in condition) return nameOf(type, condition.not);
  if ('property' in condition) return type.byName.get(condition.property)?.label ?? condition.property;
  return type.links.find(({ name }) => name === condition.association)?.label ?? condition.association;
}

/** How a property is compared, and with what. */
export function propertyWords(
  type: TypeDetail,
  condition: PropertyCondition,
): { readonly words: string; readonly value: string } {
  const property = type.byName.get(condition.property);
  if (property === undefined) return { words: texts.operators[condition.operator], value: '' };
  return { words: operatorText(condition.operator, property), value: valueWords(condition, property) };
}

function valueWords({ operator, value }: PropertyCondition, property: KnownProperty): string {
  if (value === undefined || value === null) return '';
  if (['contains', 'not_contains', 'starts_with', 'ends_with'].includes(operator)) return asText(value);
  const words = (each: unknown) => fieldOf(property.field_type).text(each as Single, property);
  if (!Array.isArray(value)) return words(value);
  return operator === 'between' ? value.map(words).join(' – ') : listText(value.map(words));
}

/** Whether what the condition names does not exist any more: a property, an association or an option. */
export function isGone(type: TypeDetail, condition: Condition): boolean {
  if ('or' in condition) return condition.or.some((each) => isGone(type, each));
  if ('not' in condition) return isGone(type, condition.not);
  if ('association' in condition) return !type.links.some(({ name }) => name === condition.association);
  const property = type.byName.get(condition.property);
  if (property === undefined || !property.type.filter_operators.includes(condition.operator)) return true;
  if (property.options === undefined) return false;
  const values = Array.isArray(condition.value) ? condition.value : [condition.value];
  return values.some((value) => value !== undefined && !property.options?.some((option) => option.value === value));
}
