-- What a request wrote is found by the id of the request. Ids of requests rise with time, so a new row of this index stands
-- at its end and costs little.
create index change_request on orrery.change (org_id, request_id, seq);

-- An import that is continued is the same job, whose id is that of the request in the feed.
alter table orrery.import add column job_id uuid;

-- How far operators have come in taking back what a request or an import wrote; see engine/undo.
create table orrery.revert (
  org_id integer not null,
  -- The request or the job that is taken back.
  request_id uuid not null,
  -- The job that does it. Its id is that of the request in the feed.
  job_id uuid not null,
  -- What is done first goes through all records, then what is done last.
  pass smallint not null default 1,
  -- Entries of the request from this number on are done in this pass; null at its beginning.
  done_from bigint,
  -- Whether the first pass leaves something for the second.
  leaves boolean not null default false,
  reverted integer not null default 0,
  kept integer not null default 0,
  refused integer not null default 0,
  primary key (org_id, request_id)
);
