-- +goose Up

-- A case is a matter being worked. Its status is the application's own word;
-- its state is what every list and clock goes by.
create table gavel.case (
  org         text not null references gavel_sys.organisation,
  id          text not null check (id ~ '^case_[0-9A-HJKMNP-TV-Z]{26}$'),
  app         text not null check (app ~ '^[a-z]{2,20}$'),
  key         text not null check (length(key) between 1 and 120),
  ref         text not null check (length(ref) between 1 and 40),
  title       text not null check (length(title) between 1 and 300),
  state       text not null check (state in ('open', 'waiting', 'closed')),
  status      text not null check (length(status) between 1 and 40),
  waiting_for text not null default '' check (length(waiting_for) <= 200),
  due_at      timestamptz,
  opened_at   timestamptz not null,
  closed_at   timestamptz,
  version     bigint not null check (version >= 1),
  primary key (org, id),
  unique (org, ref),
  check ((state = 'closed') = (closed_at is not null))
);
select gavel_sys.keep_apart('gavel.case');

-- One open case per natural key; the key is free again once it is closed.
create unique index case_open_key on gavel.case (org, app, key) where state <> 'closed';
create index case_by_state on gavel.case (org, state, id);

-- An entry is one numbered note of a case's history. It is never changed: a
-- correction is a new entry. The key makes a repeated step one entry; seq is
-- the version of the case that the entry made.
create table gavel.case_entry (
  org        text not null,
  case_id    text not null,
  seq        bigint not null,
  key        text not null check (length(key) between 1 and 120),
  kind       text not null check (kind ~ '^[a-z_]{2,40}$'),
  at         timestamptz not null,
  actor_kind text not null check (actor_kind in ('person', 'agent', 'machine', 'system')),
  actor_id   text not null check (length(actor_id) between 1 and 200),
  actor_name text not null check (length(actor_name) <= 200),
  body       text not null check (length(body) <= 10000),
  salt       bytea not null check (length(salt) = 16), -- so that the digest in the log cannot be guessed back
  primary key (org, case_id, seq),
  constraint case_entry_once unique (org, case_id, key),
  foreign key (org, case_id) references gavel.case (org, id)
);
select gavel_sys.keep_apart('gavel.case_entry');

-- What was closed stays as it was, and what a case is about never changes.
-- +goose StatementBegin
create function gavel.case_stays_closed() returns trigger language plpgsql as $$
begin
  raise exception 'case % is closed', old.id using errcode = 'check_violation', constraint = 'case_stays_closed';
end $$;
-- +goose StatementEnd
create trigger case_stays_closed before update on gavel.case
  for each row when (old.state = 'closed') execute function gavel.case_stays_closed();

grant select, insert on gavel.case to gavel_app;
grant update (state, status, waiting_for, closed_at, version) on gavel.case to gavel_app;
grant select, insert on gavel.case_entry to gavel_app;
grant select on gavel.case, gavel.case_entry to gavel_system;
