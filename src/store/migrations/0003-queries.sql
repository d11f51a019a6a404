-- What queries need: text as it is compared, walks in every direction, and indexes that come when they are asked for.

-- The lower-cased forms of texts, where they differ from the values. The program writes them, so that text is compared in
-- one way, whatever the locale of the database and its version of Unicode.
alter table orrery.record add column folded jsonb;
alter table orrery.record alter column folded set storage external;

-- Records that are there already get them as this database lower-cases.
update orrery.record as r set folded = f.folded
from (
  select r.org_id, r.type_id, r.id, jsonb_object_agg(e.key, case jsonb_typeof(e.value)
      when 'string' then to_jsonb(lower(e.value #>> '{}'))
      else (select jsonb_agg(to_jsonb(lower(v))) from jsonb_array_elements_text(e.value) as v) end) as folded
  from orrery.record as r cross join lateral jsonb_each(r.properties) as e
  where (jsonb_typeof(e.value) = 'string' or jsonb_typeof(e.value -> 0) = 'string')
    and e.value::text <> lower(e.value::text)
  group by r.org_id, r.type_id, r.id) as f
where r.org_id = f.org_id and r.type_id = f.type_id and r.id = f.id;

-- Keys of up to 2,400 bytes stand whole, so that the order of long texts is kept; before it was 256 characters.
with whole as (
  select r.org_id, r.type_id, r.id, left(v, 256) || encode(sha256(convert_to(v, 'UTF8')), 'hex') as key,
    case when octet_length(v) <= 2400 then v else
      (select left(v, max(n)) from generate_series(600, 2400) as n where octet_length(left(v, n)) <= 2400)
        || encode(sha256(convert_to(v, 'UTF8')), 'hex') end as value
  from orrery.record as r
    cross join lateral jsonb_path_query(r.properties || coalesce(r.folded, '{}'), '$.*[*] ? (@.type() == "string")')
      as e
    cross join lateral (select e #>> '{}' as v) as t
  where length(v) > 256),
texts as (
  update orrery.index_text as i set value = w.value from whole as w
  where i.org_id = w.org_id and i.type_id = w.type_id and i.record_id = w.id and i.value = w.key)
update orrery.unique_value as u set value = w.value from whole as w
where u.org_id = w.org_id and u.type_id = w.type_id and u.record_id = w.id and u.value = w.key;

-- Newest first: the time of creation is the first six bytes of an id. Records of one millisecond come by rising id.
create index record_created on orrery.record (org_id, type_id, (substring(uuid_send(id) from 1 for 6)) desc, id);

-- Walks of an index with the largest value first, where equal values come by rising id as well.
create index index_text_down on orrery.index_text (org_id, type_id, property_id, unset, value desc, record_id);
create index index_number_down on orrery.index_number (org_id, type_id, property_id, unset, value desc, record_id);
create index index_time_down on orrery.index_time (org_id, type_id, property_id, unset, value desc, record_id);

-- Led by the record, so that nobody can take it for a way to walk through all words of an org: those who look for a word
-- have the other index, those who have a record have this one.
alter table orrery.search drop constraint search_pkey;
alter table orrery.search add primary key (record_id, org_id, type_id);

-- The indexes that properties got because somebody asked. Built-in ones that are there from the start have no row.
create table orrery.property_index (
  org_id integer not null,
  type_id integer not null,
  property_id integer not null,
  state text not null check (state in ('building', 'ready')),
  -- Rows are filled in the order of ids, up to here; null before the first.
  filled_to uuid,
  filled bigint not null default 0,
  begun_at timestamptz not null default now(),
  -- The transaction that must be over, with all older ones, before rows are filled: they may not have written theirs.
  barrier xid8,
  primary key (org_id, type_id, property_id)
);
