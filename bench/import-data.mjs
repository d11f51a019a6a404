// Contacts for the benchmark of imports, like those of a sales team and the same in every run. Names and words have a
// realistic distribution: a few are common, most are rare.
import { createHash } from 'node:crypto';

const firstNames = invented(400, 'first', 4).map(capitalized);
const lastNames = invented(8_000, 'last', 5).map(capitalized);
const vocabulary = invented(4_000, 'word', 3);
const titles = ['Head of Analytics', 'Account Executive', 'Sales Engineer', 'Office Manager', 'Chief Buyer', 'Founder'];
const places = ['London, UK', 'Berlin', 'New York, NY', 'Paris', 'Lagos', 'São Paulo', 'Tokyo', 'Austin, Texas'];

/** First and last name, address, number, work, place and score. */
export function valuesOf(index) {
  const seed = createHash('sha512').update(`contact ${index}`).digest();
  const [first, last] = [often(firstNames, seed, 0), often(lastNames, seed, 1)];
  return {
    svc_first_name: first,
    svc_last_name: last,
    svc_email: [`${first}.${last}${index}@${often(lastNames, seed, 2)}.example`.toLowerCase()],
    svc_phone_number: [{ country_code: 'GB', national_number: String(2_070_000_000 + (index % 9_000_000)) }],
    svc_job_title: titles[index % titles.length],
    svc_location: places[index % places.length],
    svc_lead_score: ['cold', 'warm', 'hot'][index % 3],
  };
}

/** A dozen words, each of which must be searchable. */
export function summaryOf(index) {
  const seed = createHash('sha512').update(`summary ${index}`).digest();
  return Array.from({ length: 12 }, (_, word) => often(vocabulary, seed, word)).join(' ');
}

/** The first items of a list are common, the last are rare. */
function often(list, seed, at) {
  return list[Math.floor(list.length * (seed.readUInt16BE(at * 2) / 65_536) ** 3)];
}

function invented(count, salt, length) {
  return Array.from({ length: count }, (_, index) => {
    const bytes = createHash('md5').update(`${salt} ${index}`).digest();
    const letters = bytes.subarray(0, length + (index % 5));
    return Array.from(letters, (byte) => String.fromCharCode(97 + (byte % 26))).join('');
  });
}

function capitalized(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
