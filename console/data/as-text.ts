// Values of the API whose texts are exact, such as counts and moments: what is not a text is none.
export function asText(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}
