-- +goose Up

-- Sections that an agent words, once for each drafting: what it may cite is fixed when it begins, so that a token means the same
-- fact in every turn.
create table reportagent.wording (
  org      text not null references gavel_sys.organisation,
  task     text not null,                  -- what the workflow calls the work
  report   text not null,
  section  text not null,
  job      text not null,
  place    integer not null,               -- in the order in which sections are worded
  charts   text[] not null,                -- that the section is about
  below    text[] not null,                -- the sections whose words it is made of
  dataset  integer not null,
  basis    jsonb,                          -- by section below: the version it is worded from; null: it has not begun
  state    text not null default 'waiting',
  became   text not null default '',       -- in a word, once it is done
  ended_at timestamptz,
  primary key (org, task),
  foreign key (org, report, dataset) references reportagent.dataset (org, report, n),
  constraint wording_form check (length(task) <= 80 and length(section) between 1 and 500 and state in ('waiting', 'at', 'done')
    and (state = 'done') = (ended_at is not null) and (state <> 'at' or basis is not null) and length(became) <= 40
    and cardinality(charts) <= 200 and cardinality(below) <= 1000)
);
create unique index wording_of_section on reportagent.wording (org, job, section);

-- Numbers that an agent asked for. They are computed by code, in this order.
create table reportagent.formula (
  org   text not null references gavel_sys.organisation,
  task  text not null,
  n     integer not null,
  op    text not null,
  facts text[] not null,
  primary key (org, task, n),
  foreign key (org, task) references reportagent.wording (org, task),
  constraint formula_form check (n between 1 and 200 and length(op) <= 40 and cardinality(facts) between 1 and 200)
);

-- What an agent wrote, and what was found in it.
create table reportagent.attempt (
  org      text not null references gavel_sys.organisation,
  task     text not null,
  n        integer not null,
  body     text not null,
  findings integer not null,               -- how many
  at       timestamptz not null,
  primary key (org, task, n),
  foreign key (org, task) references reportagent.wording (org, task),
  constraint attempt_form check (n between 1 and 4 and length(body) <= 262144 and findings >= 0)
);

select gavel_sys.keep_apart('reportagent.wording');
select gavel_sys.keep_apart('reportagent.formula');
select gavel_sys.keep_apart('reportagent.attempt');
grant select, insert on reportagent.wording, reportagent.formula, reportagent.attempt to gavel_app;
grant update (basis, state, became, ended_at) on reportagent.wording to gavel_app;
