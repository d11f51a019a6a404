// Telephone numbers that reach nobody: the ranges that regulators reserve for fiction. In a country without such a range,
// people have no number.

export interface Phone {
  readonly country_code: string;
  readonly national_number: string;
}

interface PhoneRange {
  /** The first digits of every number in it. */
  readonly begins: string;
  /** The rest of the number, at least and at most. */
  readonly from: number;
  readonly to: number;
}

/** By country code. */
export const phoneRanges: Readonly<Record<string, PhoneRange>> = {
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

/** The number of the org itself. */
export const ownPhone: Phone = { country_code: 'GB', national_number: '2079460042' };
