// Telephone numbers that reach nobody: out of the ranges that the regulators of these countries keep free for stories.
// Where there is no such range, people have no number.
import type { Random } from '../random.ts';

interface Phone {
  readonly country_code: string;
  readonly national_number: string;
}

/** How such a number begins, and how many digits follow; with the range they are in, where those are not all. */
const ranges: Readonly<Record<string, { readonly begins: string; readonly from: number; readonly to: number }>> = {
  // Ofcom, numbers for drama: 020 7946 0000 to 0999.
  GB: { begins: '2079460', from: 100, to: 999 },
  // North American Numbering Plan: 555-0100 to 555-0199.
  US: { begins: '50355501', from: 10, to: 99 },
  CA: { begins: '90255501', from: 10, to: 99 },
  // Bundesnetzagentur, numbers for media: (0)30 23125 000 to 999.
  DE: { begins: '3023125', from: 100, to: 999 },
  // ARCEP, numbers for audiovisual works: 01 99 00 00 00 to 99 99.
  FR: { begins: '19900', from: 1_000, to: 9_999 },
  // ACMA, numbers for creative works: (08) 5550 0000 to 9999.
  AU: { begins: '85550', from: 1_000, to: 9_999 },
  // PTS, numbers for books and films: 08-465 004 00 to 99.
  SE: { begins: '8465004', from: 10, to: 99 },
  // ComReg, numbers for drama: 020 910 0000 to 020 919 9999.
  IE: { begins: '2091', from: 10_000, to: 99_999 },
};

export function phoneOf(countryCode: string, random: Random): Phone | undefined {
  const range = ranges[countryCode];
  if (range === undefined) return undefined;
  const national_number = `${range.begins}${random.whole(range.from, range.to)}`;
  return { country_code: countryCode, national_number };
}

/** The number of the org itself. */
export const ownPhone: Phone = { country_code: 'GB', national_number: '2079460042' };
