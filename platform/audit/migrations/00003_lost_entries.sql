-- +goose Up

-- Entries of the tree whose records were lost when the database was restored from
-- an older copy: their hashes were read back from the published copy, so that the
-- tree goes on, and no record will ever have these numbers. The record with this
-- id says the same inside the log, and why an operator let it go on.
create table gavel_sys.log_lost (
  from_size bigint primary key check (from_size >= 0),
  to_size   bigint not null check (to_size > from_size), -- the first that is not lost
  record_id text not null
);
create trigger stays before update or delete or truncate on gavel_sys.log_lost
  for each statement execute function gavel_sys.refuse_change();
grant select on gavel_sys.log_lost to gavel_app;
grant select, insert on gavel_sys.log_lost to gavel_system;
