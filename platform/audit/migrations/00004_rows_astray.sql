-- +goose Up

-- Rows of the queue whose record was not there when they were read. They are kept
-- here as evidence, out of the way of the others: whoever could put some thousands
-- of them into the queue would stop the log. fsck and the doctor name those whose
-- record is still not there; the owner may remove them when it is known what
-- happened. No index on the texts and no bound for them: they are as they stood in
-- the queue, whatever somebody put there.
create table gavel_sys.log_astray (
  n         bigint generated always as identity primary key,
  org       text not null,
  record_id text not null,
  found_at  timestamptz not null default now()
);
grant select, insert on gavel_sys.log_astray to gavel_system;
