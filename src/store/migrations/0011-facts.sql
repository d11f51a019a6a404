-- The values of live records that people group by and add up, typed, one narrow row for each record: an aggregation reads a
-- tenth of the bytes, and opens no JSON. Which property is in which column is decided by the program (schema/slots). u1 to
-- u6 are the other ends of links that a record has one of; what they name may be in the trash, or gone.
-- The columns that most types have come first: PostgreSQL reads a row up to the last column that a statement needs.
create table orrery.fact (
  org_id integer not null,
  type_id integer not null,
  id uuid not null,
  org_visible boolean not null,
  u1 uuid,
  n1 numeric,
  s1 text collate "C",
  d1 timestamptz,
  e1 date,
  u2 uuid,
  n2 numeric,
  s2 text collate "C",
  d2 timestamptz,
  e2 date,
  u6 uuid,
  n8 numeric,
  s8 text collate "C",
  d6 timestamptz,
  e4 date,
  u3 uuid,
  n3 numeric,
  s3 text collate "C",
  d3 timestamptz,
  e3 date,
  u4 uuid,
  n4 numeric,
  s4 text collate "C",
  d4 timestamptz,
  u5 uuid,
  n5 numeric,
  s5 text collate "C",
  d5 timestamptz,
  n6 numeric,
  s6 text collate "C",
  n7 numeric,
  s7 text collate "C",
  primary key (org_id, type_id, id)
);

-- Nobody may change what the table is filled from, a process of an earlier release that still runs included.
lock table orrery.record, orrery.association in share row exclusive mode;
