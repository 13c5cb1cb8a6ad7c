-- +goose Up

-- A person who talks with an agent may stop its answer. turn is the one that was
-- under way when they said so; it may be the run's first, of which there is no row
-- yet. It counts until a turn hands the word back to the person.
create table gavel.run_interrupt (
  org      text not null references gavel_sys.organisation,
  run_id   text not null,
  turn     int not null,
  actor_id text not null,
  at       timestamptz not null,
  record   text not null, -- the log's entry
  primary key (org, run_id, turn),
  constraint run_interrupt_form check (run_id ~ '^run_[0-9A-HJKMNP-TV-Z]{26}$' and turn between 0 and 20000
    and length(actor_id) between 1 and 200 and length(record) between 1 and 60)
);
select gavel_sys.keep_apart('gavel.run_interrupt');
grant select, insert on gavel.run_interrupt to gavel_app;
grant select on gavel.run_interrupt to gavel_system;
