// The floor of batches: the same rows in the same tables, from arrays that are prepared before the clock starts. It leaves
// out everything that makes a batch a batch: JSON, checks, keys, words, limits, answers.
import { createHash, randomBytes } from 'node:crypto';

const firstNames =
  'Ada Grace Alan Edsger Barbara Donald Frances Ken Radia Tim Hedy Linus Margaret Niklaus Sophie Vint'.split(' ');
const lastNames =
  'Lovelace Hopper Turing Dijkstra Liskov Knuth Allen Thompson Perlman Lee Lamarr Hamilton Wirth Wilson'.split(' ');
const titles = ['Head of Analytics', 'Account Executive', 'Sales Engineer', 'Office Manager', 'Chief Buyer', 'Founder'];

/** A contact as a form or a sync sends it: name, address, number, work. People and companies vary. */
export function contact(name) {
  const seed = createHash('md5').update(name).digest();
  const pick = (list, index) => list[seed[index] % list.length];
  const [first, last] = [pick(firstNames, 0), pick(lastNames, 1)];
  return {
    svc_first_name: first,
    svc_last_name: last,
    svc_email: [`${first}.${name}@${last}${seed[2]}.example`.toLowerCase()],
    svc_job_title: pick(titles, 3),
    svc_phone_number: [{ country_code: 'GB', national_number: String(2_070_000_000 + seed.readUInt16BE(4)) }],
    svc_timezone: 'Europe/London',
    svc_lead_score: 'warm',
  };
}

const columns = `unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
  as k (id, properties, last_name, email, words, changed, folded)`;
const statement = {
  name: 'floor_batch',
  text: `with records as (
      insert into orrery.record (org_id, type_id, id, version, updated_at, org_visible, properties, folded)
      select $1, 1, k.id, 1, now(), true, k.properties::jsonb, k.folded::jsonb from ${columns}),
    names as (
      insert into orrery.index_text (org_id, type_id, property_id, unset, value, record_id)
      select $1, 1, 4, false, k.last_name, k.id from ${columns}),
    emails as (
      insert into orrery.unique_value (org_id, type_id, property_id, value, record_id)
      select $1, 1, 5, k.email, k.id from ${columns}),
    words as (
      insert into orrery.search (org_id, type_id, record_id, words)
      select $1, 1, k.id, array_to_tsvector(string_to_array(k.words, ' ')) from ${columns})
    insert into orrery.change (org_id, kind, type_id, record_id, version, changed, at, principal_id, request_id)
    select $1, 1, 1, k.id, 1, k.changed, now(), 'floor', $9 from ${columns}`,
};

export function prepareBatches(orgId, name, count, size) {
  return Array.from({ length: count }, (_, batch) => {
    const rows = Array.from({ length: size }, (_, index) =>
      rowOf(orgId, `${name}b${batch}n${index}`, batch * size + index),
    );
    const column = (member) => rows.map((row) => row[member]);
    const arrays = ['id', 'properties', 'lastName', 'email', 'words', 'changed', 'folded'].map(column);
    return [orgId, ...arrays, rows[0].id];
  });
}

function rowOf(orgId, name, serial) {
  const values = contact(name);
  const now = new Date().toISOString();
  const texts = [values.svc_first_name, values.svc_last_name, values.svc_email[0], values.svc_job_title];
  const words = texts
    .join(' ')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return {
    id: idOf(serial),
    properties: JSON.stringify({ ...values, svc_created_at: now, svc_updated_at: now }),
    lastName: values.svc_last_name.toLowerCase(),
    email: values.svc_email[0],
    words: [...new Set(words)].map((word) => `${orgId}_1_${word}`).join(' '),
    changed: JSON.stringify({ ...values, svc_created_at: now, svc_updated_at: now }),
    folded: JSON.stringify({
      svc_first_name: values.svc_first_name.toLowerCase(),
      svc_last_name: values.svc_last_name.toLowerCase(),
      svc_job_title: values.svc_job_title.toLowerCase(),
    }),
  };
}

function idOf(serial) {
  const time = Date.now().toString(16).padStart(12, '0');
  const order = serial.toString(16).padStart(4, '0').slice(-4);
  const rest = createHash('sha1').update(randomBytes(16)).digest('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order.slice(1)}-8${order.slice(0, 1)}${rest.slice(0, 2)}-${rest.slice(2, 14)}`;
}

/** Runs all batches, `atOnce` at a time, each as one statement. */
export async function runBatchFloor(pool, prepared, atOnce) {
  const waiting = [...prepared];
  const started = performance.now();
  const work = async () => {
    for (let values = waiting.shift(); values !== undefined; values = waiting.shift()) {
      await pool.query({ ...statement, values });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const seconds = (performance.now() - started) / 1_000;
  return { requests: prepared.length, seconds, perSecond: prepared.length / seconds };
}
