-- +goose Up

-- Long work that somebody asked for or for which it was time. Of each kind one runs at
-- a time in an organisation, or one for each thing that such work is about. What it
-- counts and finds is the application's, in tables of its own, under the same id.
create table gavel.job (
  org          text not null references gavel_sys.organisation,
  kind         text not null,            -- whose and what: "poolpatrol.pass"
  id           text not null,
  key          text not null,            -- the asker's: the same again is the same job
  about        text not null default '', -- what is worked on; empty where there is nothing to choose
  asked_by     text not null,
  state        text not null default 'running',
  reason       text not null default '', -- why it was not done
  doing        text not null default '', -- what it is at
  done         integer not null default 0,
  total        integer not null default 0, -- 0: nobody knows yet
  cancelled_by text not null default '', -- who wants it called off; the next step does so
  version      bigint not null default 1, -- grows with every word of it
  began_at     timestamptz not null,
  heard_at     timestamptz not null default now(), -- when a step said anything last, on the wall's clock: crashes pass on it
  ended_at     timestamptz,
  primary key (org, kind, id),
  constraint job_key unique (org, kind, key),
  constraint job_form check (kind ~ '^[a-z]+\.[a-z_]{1,40}$' and id ~ '^[A-Z]{2,8}-[0-9A-F]{8}$' and length(key) between 1 and 200
    and length(about) <= 1100 and length(asked_by) between 1 and 200 and state in ('running', 'done', 'refused', 'cancelled')
    and length(reason) <= 2000 and (state not in ('refused', 'cancelled') or reason <> '') and length(doing) <= 200
    and done >= 0 and total >= 0 and length(cancelled_by) <= 200 and (state <> 'cancelled' or cancelled_by <> '')
    and (state = 'running') = (ended_at is null))
);
-- One at a time, whatever else fails.
create unique index job_running on gavel.job (org, kind, about) where state = 'running';

select gavel_sys.keep_apart('gavel.job');
grant select, insert on gavel.job to gavel_app;
grant update (state, reason, doing, done, total, cancelled_by, version, heard_at, ended_at) on gavel.job to gavel_app;
grant select, delete on gavel.job to gavel_system;
