-- +goose Up

-- What was received, read or entered stays as it was. Grants already say so;
-- this holds the owner to it too.
-- +goose StatementBegin
create function gavel_sys.stays_as_it_was() returns trigger
language plpgsql as $$
begin
  raise exception 'what is in % stays as it is: a correction is a new row', tg_table_name
    using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd

-- A snapshot is bytes as received; they lie in the blob store under sha256. Of a
-- sealed one, sha256 and size are those of the envelope, and key opens it.
create table gavel.snapshot (
  org      text not null references gavel_sys.organisation,
  sha256   text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  size     bigint not null check (size >= 0),
  detected text not null check (length(detected) between 1 and 100),
  key      text check (length(key) between 1 and 60),
  primary key (org, sha256)
);
select gavel_sys.keep_apart('gavel.snapshot');

-- A fetch is one receipt of such bytes: from where, when, by whom, on what
-- terms. The same bytes received again are another fetch. once is the caller's
-- own key, which makes a repeated step one fetch; told is the content type as the
-- source gave it, place where it was, without secrets.
create table gavel.fetch (
  org        text not null,
  id         text not null check (id ~ '^snap_[0-9A-HJKMNP-TV-Z]{26}$'),
  sha256     text not null,
  source     text not null check (source ~ '^[a-z][a-z0-9_-]{1,39}$'),
  once       text check (length(once) between 1 and 200),
  fetched_at timestamptz not null,
  told       text not null check (length(told) <= 200),
  place      text not null check (length(place) <= 2000),
  licence    text not null check (length(licence) <= 1000),
  actor_kind text not null check (actor_kind in ('person', 'agent', 'machine', 'system')),
  actor_id   text not null check (length(actor_id) between 1 and 200),
  record_id  text not null check (length(record_id) between 1 and 40),
  primary key (org, id),
  constraint fetch_once unique (org, source, once),
  foreign key (org, sha256) references gavel.snapshot (org, sha256)
);
select gavel_sys.keep_apart('gavel.fetch');
create index fetch_newest on gavel.fetch (org, source, fetched_at desc);
create index fetch_bytes on gavel.fetch (org, sha256, fetched_at);

-- Evidence is a snapshot, or rows of one, put on a case: E1, E2, … without gaps.
-- key is the digest of snapshot and range, so that the same rows are one piece.
create table gavel.evidence (
  org        text not null,
  case_id    text not null,
  number     int not null check (number >= 1),
  key        text not null check (key ~ '^[0-9a-f]{64}$'),
  sha256     text not null,
  range      jsonb check (pg_column_size(range) <= 4096),
  title      text not null check (length(title) between 1 and 300),
  side       text not null check (side in ('for', 'against', 'unknown')),
  note       text not null check (length(note) <= 10000),
  at         timestamptz not null,
  actor_kind text not null check (actor_kind in ('person', 'agent', 'machine', 'system')),
  actor_id   text not null check (length(actor_id) between 1 and 200),
  primary key (org, case_id, number),
  constraint evidence_once unique (org, case_id, key),
  foreign key (org, case_id) references gavel.case (org, id),
  foreign key (org, sha256) references gavel.snapshot (org, sha256)
);
select gavel_sys.keep_apart('gavel.evidence');

-- A fact is one version of one number of a case. nth counts the versions of a
-- case in the order they were entered; facts entered together share a record of
-- the log, which holds their digest. value is exact to its last digit: numeric
-- keeps it as it was written.
create table gavel.fact (
  org        text not null,
  case_id    text not null,
  id         text not null check (length(id) between 2 and 10),
  version    int not null check (version >= 1),
  number     int not null check (number >= 1),
  nth        int not null check (nth >= 1),
  key        text not null check (key ~ '^[0-9a-f]{64}$'),
  kind       text not null check (kind in ('observed', 'computed', 'quoted', 'assumed')),
  value      numeric not null check (value <> 'NaN' and value <> 'Infinity' and value <> '-Infinity'),
  exact      text check (exact ~ '^-?[0-9]+(/[0-9]+)?$' and length(exact) <= 4096),
  unit       text not null check (length(unit) <= 400),
  display    text not null check (length(display) between 1 and 1000),
  decimals   int not null check (decimals between 0 and 12),
  as_of      timestamptz,
  subject    jsonb not null,
  snapshot   text,
  source     jsonb,
  calc       jsonb,
  at         timestamptz not null,
  actor_kind text not null check (actor_kind in ('person', 'agent', 'machine', 'system')),
  actor_id   text not null check (length(actor_id) between 1 and 200),
  record_id  text not null check (length(record_id) between 1 and 40),
  primary key (org, case_id, id, version),
  constraint fact_version unique (org, case_id, key, version),
  check (id = 'F' || number),
  check ((kind = 'computed') = (calc is not null)),
  check ((calc is null) = (source is not null)),
  foreign key (org, case_id) references gavel.case (org, id),
  foreign key (org, snapshot) references gavel.snapshot (org, sha256)
);
select gavel_sys.keep_apart('gavel.fact');
create index fact_snapshot on gavel.fact (org, snapshot) where snapshot is not null;
create index fact_record on gavel.fact (org, record_id);

-- How many F-numbers and versions a case has: the next ones follow. Read from
-- here and not by an index on gavel.fact, because a second index that begins
-- with the case makes the planner, while it has no statistics, walk a whole case
-- where the primary key finds one row.
create table gavel.fact_count (
  org     text not null,
  case_id text not null,
  numbers int not null check (numbers >= 0),
  entered int not null check (entered >= numbers),
  primary key (org, case_id),
  foreign key (org, case_id) references gavel.case (org, id)
);
select gavel_sys.keep_apart('gavel.fact_count');

-- Who relies on a version of a fact: a computed fact ("F9@1") or a text that
-- cites it, by an id of its own. There is no foreign key to the fact: whoever
-- writes here has just read it, facts are never deleted, and ten thousand inputs
-- would be ten thousand checks.
create table gavel.fact_use (
  org     text not null,
  case_id text not null,
  id      text not null,
  version int not null,
  kind    text not null check (kind in ('fact', 'text')),
  used_by text not null check (length(used_by) between 1 and 200),
  label   text not null check (length(label) <= 300),
  primary key (org, case_id, id, version, kind, used_by)
);
select gavel_sys.keep_apart('gavel.fact_use');

create trigger stays before update or delete or truncate on gavel.snapshot
  for each statement execute function gavel_sys.stays_as_it_was();
create trigger stays before update or delete or truncate on gavel.fetch
  for each statement execute function gavel_sys.stays_as_it_was();
create trigger stays before update or delete or truncate on gavel.fact
  for each statement execute function gavel_sys.stays_as_it_was();
create trigger stays before update or delete or truncate on gavel.fact_use
  for each statement execute function gavel_sys.stays_as_it_was();

grant select, insert on gavel.snapshot, gavel.fetch, gavel.evidence, gavel.fact, gavel.fact_use to gavel_app;
grant select, insert, update on gavel.fact_count to gavel_app;
grant select on gavel.snapshot, gavel.fetch, gavel.evidence, gavel.fact, gavel.fact_count, gavel.fact_use to gavel_system;
