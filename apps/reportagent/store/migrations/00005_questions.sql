-- +goose Up

-- What an agent asked the raw tables of a run, and what was answered: the same numbers have the same tokens in every turn.
create table reportagent.question (
  org      text not null references gavel_sys.organisation,
  task     text not null,
  n        integer not null,
  formulas integer not null,               -- how many numbers had been computed before
  view     text not null,
  sha256   text not null,                  -- of the table's file
  unit     text not null default '',
  answer   jsonb not null,                 -- the question as it was understood, columns and rows
  at       timestamptz not null,
  primary key (org, task, n),
  foreign key (org, task) references reportagent.wording (org, task),
  constraint question_form check (n between 1 and 20 and formulas >= 0 and length(view) between 1 and 200 and sha256 ~ '^[0-9a-f]{64}$'
    and length(unit) <= 40 and octet_length(answer::text) <= 262144)
);

select gavel_sys.keep_apart('reportagent.question');
grant select, insert on reportagent.question to gavel_app;
