// The names of definitions in requests, and the links between them.
export const propertyToType = 'svc_property_to_object_type';
export const optionToProperty = 'svc_property_option_to_property';

/** A name made from a label, as people would choose it: lower case, with underscores. */
export function nameFrom(label: string): string {
  return label
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '')
    .slice(0, 60);
}
