-- +goose Up

-- A recovery is what follows a restore: from its beginning to its end nothing goes
-- outside. There is one at a time. at and ended_at are the installation's clock;
-- began is real time: how long it has been on is about processes.
create table gavel_sys.recovery (
  id         text primary key check (id ~ '^recovery_[0-9A-HJKMNP-TV-Z]{26}$'),
  engine     text not null check (engine in ('same', 'ahead')),
  reason     text not null check (length(reason) between 1 and 2000),
  by_id      text not null check (length(by_id) between 1 and 200),
  at         timestamptz not null,
  began      timestamptz not null default clock_timestamp(),
  acts       bigint not null, -- that may have been done in the time that was lost, letters among them
  letters    bigint not null,
  word       bigint not null, -- mails to our own staff
  anew       bigint not null, -- workflows that are begun anew from the record
  ended_at   timestamptz,
  ended_by   text check (length(ended_by) between 1 and 200),
  end_reason text check (length(end_reason) between 1 and 2000),
  cases      bigint,          -- in doubt when it ended
  constraint recovery_end check ((ended_at is null) = (ended_by is null) and (ended_at is null) = (end_reason is null) and (ended_at is null) = (cases is null))
);
create unique index recovery_on on gavel_sys.recovery ((true)) where ended_at is null;
grant select, insert, update (ended_at, ended_by, end_reason, cases) on gavel_sys.recovery to gavel_system;
