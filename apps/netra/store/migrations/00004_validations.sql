-- +goose Up

-- What scores that were given out were worth: reports of comparing them with violent events that somebody brought, each as it
-- came out. Nobody changes one; another comparison is another row.
create table netra.validation (
  org          text not null references gavel_sys.organisation,
  id           text not null,
  window_hours integer not null,
  events       integer not null,            -- of the file
  late         integer not null,            -- scores that were written down after their moment, and left out
  scores       integer not null,            -- that were compared, whether their outcome is known or not
  reports      jsonb not null,              -- for all districts, and for each state
  source       text not null,               -- of the events, as who brought them calls it
  made_at      timestamptz not null,
  made_by      text not null,
  primary key (org, id),
  constraint validation_form check (id ~ '^NVA-[0-9A-F]{8}$' and length(source) between 1 and 200 and window_hours between 1 and 744
    and events >= 0 and late >= 0 and scores >= 0)
);
create index validation_by_time on netra.validation (org, window_hours, made_at desc, id desc);
select gavel_sys.keep_apart('netra.validation');
grant select, insert on netra.validation to gavel_app;
grant select on netra.validation to gavel_system;
