// Reads phone numbers as they are dialled within a country: without a calling code, and in most countries with a digit in
// front that is dialled only there.
import { regionOf } from './calling-codes.ts';

interface Trunk {
  readonly prefix: string;
  /** All digits with the prefix, where a number without it may begin with the same digits. */
  readonly length?: number;
}

/** What is dialled in front of a number within other countries than those with 0. Nothing: every digit belongs to the number. */
const trunks: ReadonlyMap<string, Trunk> = new Map([
  ...each({ prefix: '' }, 'AD BF BH BI BJ CG CI CL CM CR CV CY CZ DK EE ES GA GN GR GT HK HN IS IT KW LV LU MC MO MT'),
  ...each({ prefix: '' }, 'NE NI NO OM PA PL PT QA SG SM SN SV TD TG TN VA'),
  ...each({ prefix: '1', length: 11 }, 'US CA AG AI AS BB BM BS DM DO GD GU JM KN KY LC MP MS PR SX TC TT VC VG VI'),
  ...each({ prefix: '8', length: 11 }, 'RU KZ'),
  ...each({ prefix: '80', length: 11 }, 'BY'),
  ...each({ prefix: '8', length: 9 }, 'TM'),
  ...each({ prefix: '06' }, 'HU'),
]);
const usual: Trunk = { prefix: '0' };

function each(trunk: Trunk, countries: string): readonly (readonly [string, Trunk])[] {
  return countries.split(' ').map((country) => [country, trunk]);
}

interface PhoneNumber {
  readonly country_code: string;
  readonly national_number: string;
}

/** `digits` as somebody in the country dials them. A number that begins with 00 is an international one. */
export function readDialled(digits: string, country: string): PhoneNumber | undefined {
  if (!/^[0-9]{3,17}$/.test(digits)) return undefined;
  if (digits.startsWith('00')) return readInternational(digits.slice(2));
  const { prefix, length = digits.length } = trunks.get(country) ?? usual;
  const isDialled = prefix !== '' && digits.startsWith(prefix) && digits.length === length && digits.length > 6;
  const own = isDialled ? digits.slice(prefix.length) : digits;
  return { country_code: country, national_number: own };
}

/** `digits` with their calling code. */
export function readInternational(digits: string): PhoneNumber | undefined {
  const region = regionOf(digits);
  return region && { country_code: region.country, national_number: digits.slice(region.codeLength) };
}
