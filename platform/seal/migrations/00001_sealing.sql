-- +goose Up

-- A data key opens what was sealed under it. wrapped is the key itself,
-- encrypted under the master key that master names; a destroyed key has lost
-- both and stays as the note of when. owner is whose key it is: one subject
-- ("rider:R-7"), a set of subjects ("set:" and a digest) or a conversation
-- ("conversation:run_01…"). An owner has one key, ever: what was erased does not
-- begin again under the same name.
create table gavel.seal_key (
  org          text not null references gavel_sys.organisation,
  id           text not null check (id ~ '^key_[0-9A-HJKMNP-TV-Z]{26}$'),
  owner        text not null check (length(owner) between 3 and 200),
  master       text check (length(master) between 1 and 32),
  wrapped      bytea check (length(wrapped) = 60),
  made_at      timestamptz not null,
  destroyed_at timestamptz,
  primary key (org, id),
  constraint seal_key_owner unique (org, owner),
  check ((wrapped is null) = (destroyed_at is not null)),
  check ((wrapped is null) = (master is null))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 0);
-- The storage parameters make the server clear away the dead versions of rows,
-- which still hold wrapped keys, each time it looks: by default every minute.
select gavel_sys.keep_apart('gavel.seal_key');

-- What is gone stays gone, also for an application with an old copy at hand.
-- +goose StatementBegin
create function gavel_sys.stay_destroyed() returns trigger
language plpgsql as $$
begin
  raise exception 'key % was destroyed and stays so', old.id using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd
create trigger stays before update on gavel.seal_key
  for each row when (old.destroyed_at is not null) execute function gavel_sys.stay_destroyed();

-- Which objects hold whose data, under which key. object is the SHA-256 of the
-- sealed bytes, wherever they lie. Rows are never changed: after an erasure they
-- are the list of what was lost.
create table gavel.sealed (
  org     text not null,
  object  text not null check (object ~ '^[0-9a-f]{64}$'),
  subject text not null check (length(subject) between 3 and 200),
  key     text not null,
  purpose text not null check (length(purpose) between 2 and 40),
  case_id text not null default '' check (length(case_id) <= 60),
  at      timestamptz not null,
  primary key (org, object, subject),
  foreign key (org, key) references gavel.seal_key (org, id)
);
select gavel_sys.keep_apart('gavel.sealed');
create index sealed_subject on gavel.sealed (org, subject, key);
create index sealed_key on gavel.sealed (org, key);

-- A hold keeps everything about a subject ("rider:R-7") or of a case
-- ("case:case_01…") from being erased until its time or its release.
create table gavel.legal_hold (
  org          text not null references gavel_sys.organisation,
  id           text not null check (id ~ '^hold_[0-9A-HJKMNP-TV-Z]{26}$'),
  target       text not null check (length(target) between 3 and 200),
  reason       text not null check (length(reason) <= 1000),
  placed_by    text not null check (length(placed_by) between 1 and 200),
  placed_at    timestamptz not null,
  until        timestamptz,
  released_by  text check (length(released_by) between 1 and 200),
  released_at  timestamptz,
  release_note text not null default '' check (length(release_note) <= 1000),
  primary key (org, id),
  check ((released_by is null) = (released_at is null))
);
select gavel_sys.keep_apart('gavel.legal_hold');
create index legal_hold_target on gavel.legal_hold (org, target) where released_at is null;

-- An erasure is what was done and when; the record in the log says all of it.
-- There is a second one for a subject only where rows had come back.
create table gavel.erasure (
  org       text not null references gavel_sys.organisation,
  subject   text not null check (length(subject) between 3 and 200),
  n         int not null check (n > 0),
  at        timestamptz not null,
  record_id text not null,
  primary key (org, subject, n)
);
select gavel_sys.keep_apart('gavel.erasure');

-- What left the system is out of reach. An export is a bundle or a report that
-- was given to somebody; its objects are the sealed ones in it.
create table gavel.exported (
  org       text not null references gavel_sys.organisation,
  id        text not null check (id ~ '^exp_[0-9A-HJKMNP-TV-Z]{26}$'),
  bundle    text not null check (bundle ~ '^[0-9a-f]{64}$'),
  case_id   text not null default '' check (length(case_id) <= 60),
  recipient text not null check (length(recipient) between 1 and 200),
  at        timestamptz not null,
  primary key (org, id)
);
select gavel_sys.keep_apart('gavel.exported');
create index exported_case on gavel.exported (org, case_id);

create table gavel.exported_object (
  org       text not null,
  object    text not null check (object ~ '^[0-9a-f]{64}$'),
  export_id text not null,
  primary key (org, object, export_id),
  foreign key (org, export_id) references gavel.exported (org, id)
);
select gavel_sys.keep_apart('gavel.exported_object');

grant select, insert, update (master, wrapped, destroyed_at) on gavel.seal_key to gavel_app;
grant select, insert on gavel.sealed, gavel.erasure, gavel.exported, gavel.exported_object to gavel_app;
grant select, insert, update (reason, released_by, released_at, release_note) on gavel.legal_hold to gavel_app;

-- The system role moves keys to a new master key, and checks.
grant select, update (master, wrapped) on gavel.seal_key to gavel_system;
grant select on gavel.sealed, gavel.legal_hold, gavel.erasure, gavel.exported, gavel.exported_object to gavel_system;
