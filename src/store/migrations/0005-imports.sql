-- Imports that are under way, or were broken off: how far each has come, written by the transaction of each batch. The
-- digest names file, object type, match and columns: the same command again goes on, any other begins anew. When an import
-- is done its row goes; what is never taken up again goes after a while, when another import of the org begins.
create table orrery.import (
  org_id integer not null,
  digest bytea not null,
  -- Rows of the file that are dealt with, from its beginning.
  rows bigint not null default 0,
  created bigint not null default 0,
  updated bigint not null default 0,
  unchanged bigint not null default 0,
  refused bigint not null default 0,
  -- The file of refused rows, and how much of it belongs to the rows above: the rest is cut off before going on.
  errors_file text not null,
  errors_bytes bigint not null default 0,
  begun_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (org_id, digest)
);
