-- +goose Up

-- A pause has a name, so that it can be ended by it and told from the next one of
-- the same scope. The default is for a program of before this; ours brings a ULID.
alter table gavel.pause add column id text not null
  default 'pause_0' || upper(substr(md5(random()::text || clock_timestamp()::text), 1, 25))
  check (id ~ '^pause_[0-9A-HJKMNP-TV-Z]{26}$');
create unique index pause_id on gavel.pause (org, id);

-- Pauses that are over, with who ended them and why. They stay: whoever asks why
-- a letter came two days late reads it here.
create table gavel.past_pause (
  org        text not null references gavel_sys.organisation,
  id         text not null check (id ~ '^pause_[0-9A-HJKMNP-TV-Z]{26}$'),
  scope      text not null check (length(scope) between 1 and 200),
  reason     text not null check (length(reason) between 1 and 2000),
  by_id      text not null check (length(by_id) between 1 and 200),
  at         timestamptz not null,
  ended_at   timestamptz not null,
  ended_by   text not null check (length(ended_by) between 1 and 200),
  end_reason text not null check (length(end_reason) between 1 and 2000),
  primary key (org, id)
);
select gavel_sys.keep_apart('gavel.past_pause');
create index past_pause_newest on gavel.past_pause (org, ended_at desc);

grant select, insert on gavel.past_pause to gavel_app;
grant select on gavel.past_pause to gavel_system;
