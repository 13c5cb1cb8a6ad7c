-- +goose Up

-- An order is a person's word about a run: stop, resume, retry, cancel, say.
-- The workflow is told by the outbox; this is what the pages and the record know
-- of it. It holds no words: those of say are in run_message.
create table gavel.run_order (
  org      text not null,
  run_id   text not null,
  n        int not null check (n > 0), -- counted in its run
  do_what  text not null check (do_what in ('stop', 'resume', 'retry', 'cancel', 'say')),
  actor_id text not null check (length(actor_id) between 1 and 200),
  at       timestamptz not null,
  record   text not null,              -- the log's entry
  primary key (org, run_id, n),
  foreign key (org, run_id) references gavel.run (org, id)
);
select gavel_sys.keep_apart('gavel.run_order');
grant select, insert on gavel.run_order to gavel_app;
grant select on gavel.run_order to gavel_system;
