// Reads numbers as people write them: 1,000.50 and 1.000,50 mean the same, and 1,000 alone could mean two things. The
// decimal mark decides; the other mark, spaces and apostrophes separate groups of digits.

export const decimalMarks = ['.', ','] as const;
export type DecimalMark = (typeof decimalMarks)[number];

/** The number as the API takes it; undefined if the text is not a number with this mark. */
export function readDecimal(text: string, mark: DecimalMark): string | undefined {
  const found = forms[mark].exec(text.trim())?.groups;
  if (found === undefined) return undefined;
  const { sign = '', whole = '', fraction } = found;
  const minus = sign === '' || sign === '+' ? '' : '-';
  return minus + whole.replace(/[^0-9]/g, '') + (fraction === undefined ? '' : `.${fraction}`);
}

const forms: Readonly<Record<DecimalMark, RegExp>> = { '.': formOf('.', ','), ',': formOf(',', '.') };

/** Groups have three digits, or two before the last one, as in India; no number with groups begins with 0. One separator is between all. */
function formOf(mark: DecimalMark, other: DecimalMark): RegExp {
  const grouped = `[1-9][0-9]{0,2}(?<separator>[${other}\\s'\u2019])[0-9]{2,3}(?:\\k<separator>[0-9]{2,3})*`;
  const whole = `(?<whole>${grouped}(?<=\\k<separator>[0-9]{3})|[0-9]+)`;
  return new RegExp(`^(?<sign>[+\\-\u2212]?)\\s*${whole}(?:\\${mark}(?<fraction>[0-9]+))?$`);
}

/** What a text tells about the decimal mark of its column: one of the marks, that both fit, or nothing. */
export function decimalEvidence(text: string): DecimalMark | 'either' | undefined {
  // JSON has numbers as the API takes them. A point before the first digit, or after the last, belongs to a sign such as "kr.".
  if (/^\s*[[{]/.test(text)) return undefined;
  const digits = /[0-9](?:.*[0-9])?/.exec(text.replace(/[^0-9.,]/g, ''))?.[0] ?? '';
  if (!/[.,]/.test(digits)) return undefined;
  const [first, second] = decimalMarks.filter((mark) => readDecimal(digits, mark) !== undefined);
  return second === undefined ? first : 'either';
}
