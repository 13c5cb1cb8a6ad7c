-- +goose Up

-- A record is one entry of the audit log. json is the truth: its bytes, exactly
-- as they stand here, are what the tree holds the hash of. The other columns
-- repeat parts of it for searching, and fsck compares them.
--
-- There is no foreign key to the organisation: every append would lock that one
-- row. The wall checks org, and '-' is the installation itself, which no
-- transaction of an organisation can be. There are no CHECKs either: PostgreSQL
-- reads each of them anew for every statement, and nine of them cost more than
-- the rest of the append. Append checks, and fsck finds what got past it.
create table gavel.record (
  org        text collate "C" not null,
  id         text collate "C" not null,
  at         timestamptz not null,
  kind       text not null,
  app        text not null,
  actor_kind text not null,
  actor_id   text not null,
  subject    text collate "C" not null,
  json       text not null,
  primary key (org, id)
);
select gavel_sys.keep_apart('gavel.record');
create index record_subject on gavel.record (org, subject, id);

-- Where a record stands in the tree. Numbers start at 0 and have no gaps.
create table gavel.record_place (
  org       text collate "C" not null,
  record_id text collate "C" not null,
  seq       bigint not null check (seq >= 0),
  primary key (org, record_id),
  constraint record_place_seq unique (seq)
);
select gavel_sys.keep_apart('gavel.record_place');

-- Records that the tree has yet to take in. Appending adds a row in the same
-- transaction, taking the record in deletes it in the same transaction, so a
-- row is here exactly as long as its record is not in the tree, whenever its
-- transaction commits. No index: the table is read whole, and nearly empty.
create table gavel_sys.log_queue (
  pos       bigint generated always as identity,
  org       text not null,
  record_id text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- A tile is up to 256 hashes side by side on one level of the tree, 32 bytes
-- each. It only ever grows to the right. Hashes do not compress.
create table gavel_sys.log_tile (
  level  int not null check (level between 0 and 7),
  n      bigint not null check (n >= 0),
  hashes bytea not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
  primary key (level, n)
);
alter table gavel_sys.log_tile alter column hashes set storage external;

-- A checkpoint is the size and root of the tree, signed. Each one extends the
-- last. n counts them without gaps, so that none can be left out. When it was
-- made is not said: only somebody outside can say that credibly.
create table gavel_sys.log_checkpoint (
  size bigint primary key check (size > 0),
  n    bigint not null unique check (n > 0),
  note text not null check (length(note) <= 8192)
);

-- Which key signs the checkpoints that are larger than from_size, up to the
-- next key. The record with this id says the same inside the log.
create table gavel_sys.log_key (
  from_size bigint primary key check (from_size >= 0),
  verifier  text not null unique check (length(verifier) <= 400),
  record_id text not null
);

-- Checkpoints that were copied out of this database, numbered without gaps.
create table gavel_sys.log_published (
  n    bigint primary key check (n > 0),
  size bigint not null unique references gavel_sys.log_checkpoint
);

-- What was written stays. Grants already say so; this holds the owner to it too.
-- +goose StatementBegin
create function gavel_sys.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception 'what is in % stays as it is: the log is only added to', tg_table_name
    using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function gavel_sys.only_grow() returns trigger
language plpgsql as $$
begin
  if new.level <> old.level or new.n <> old.n
     or substring(new.hashes for length(old.hashes)) <> old.hashes then
    raise exception 'tile % of level % only grows: the log is only added to', old.n, old.level
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
-- +goose StatementEnd

create trigger stays before update or delete or truncate on gavel.record
  for each statement execute function gavel_sys.refuse_change();
create trigger stays before update or delete or truncate on gavel.record_place
  for each statement execute function gavel_sys.refuse_change();
create trigger stays before update or delete or truncate on gavel_sys.log_checkpoint
  for each statement execute function gavel_sys.refuse_change();
create trigger stays before update or delete or truncate on gavel_sys.log_key
  for each statement execute function gavel_sys.refuse_change();
create trigger stays before update or delete or truncate on gavel_sys.log_published
  for each statement execute function gavel_sys.refuse_change();
create trigger stays before delete or truncate on gavel_sys.log_tile
  for each statement execute function gavel_sys.refuse_change();
create trigger grows before update on gavel_sys.log_tile
  for each row execute function gavel_sys.only_grow();

-- The application adds records and reads its own, and the hashes and signatures
-- that prove them, which tell nothing to who does not have the record. It
-- cannot see what else waits.
grant insert, select on gavel.record to gavel_app, gavel_system;
grant select on gavel.record_place to gavel_app;
grant select, insert on gavel.record_place to gavel_system;
grant insert on gavel_sys.log_queue to gavel_app;
grant select, insert, delete on gavel_sys.log_queue to gavel_system;
grant select on gavel_sys.log_tile, gavel_sys.log_checkpoint, gavel_sys.log_key, gavel_sys.log_published to gavel_app;
grant select, insert, update on gavel_sys.log_tile to gavel_system;
grant select, insert on gavel_sys.log_checkpoint, gavel_sys.log_key, gavel_sys.log_published to gavel_system;
