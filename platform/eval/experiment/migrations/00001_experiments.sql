-- +goose Up

-- A dataset as it was measured on: a version never changes, and its digest is that of its
-- lines. Whoever is in it is made up, or was redacted before.
create table gavel.dataset (
  org     text not null references gavel_sys.organisation,
  name    text not null,
  version text not null,
  digest  text not null, -- SHA-256 of the lines, in hex
  about   text not null default '',
  cases   integer not null,
  made_by text not null,
  made_at timestamptz not null,
  primary key (org, name, version),
  constraint dataset_form check (length(name) between 1 and 2000 and length(version) between 1 and 2000 and length(about) <= 2000
    and digest ~ '^[0-9a-f]{64}$' and cases between 1 and 100000 and length(made_by) between 1 and 200)
);
select gavel_sys.keep_apart('gavel.dataset');
grant select, insert on gavel.dataset to gavel_app;
grant select on gavel.dataset to gavel_system;

-- The cases of datasets by what they are, so that two versions that are alike share them.
create table gavel.dataset_case (
  org    text not null references gavel_sys.organisation,
  digest text not null,
  seq    integer not null,
  id     text not null,
  line   text not null, -- as it was given: the digest is of these
  primary key (org, digest, seq),
  constraint dataset_case_id unique (org, digest, id),
  constraint dataset_case_form check (digest ~ '^[0-9a-f]{64}$' and seq between 0 and 99999 and length(id) between 1 and 100
    and length(line) between 2 and 1048576)
);
select gavel_sys.keep_apart('gavel.dataset_case');
grant select, insert on gavel.dataset_case to gavel_app;
grant select on gavel.dataset_case to gavel_system;

-- An experiment: who was tested, on what, how it was scored. How far it is stands in its job.
create table gavel.experiment (
  org       text not null references gavel_sys.organisation,
  id        text not null, -- its job's
  name      text not null, -- people's: "v12"
  set_name  text not null, -- "poolpatrol/shift"
  dataset   text not null,
  version   text not null,
  digest    text not null,
  cases     integer not null,
  evaluator text not null, -- digest of what was counted, and how
  subject   text not null default '', -- digest of the brief that was tested; empty: code alone
  route     text not null default '',
  provider  text not null default '', -- who answers on it; empty: nobody
  model     text not null default '',
  repeats   integer not null,
  fresh     boolean not null, -- no answer of another experiment counts
  micros_at_most bigint not null default 0, -- 0: no bound
  calls_at_most  bigint not null default 0,
  asked_by  text not null,
  asked_at  timestamptz not null,
  primary key (org, id),
  constraint experiment_form check (id ~ '^EXP-[0-9A-F]{8}$' and length(name) between 1 and 200 and length(set_name) between 1 and 200
    and length(dataset) between 1 and 2000 and length(version) between 1 and 2000 and digest ~ '^[0-9a-f]{64}$'
    and evaluator ~ '^[0-9a-f]{64}$' and subject ~ '^([0-9a-f]{64})?$' and cases between 1 and 100000 and repeats between 1 and 100
    and length(route) <= 200 and length(provider) <= 200 and length(model) <= 200 and micros_at_most >= 0 and calls_at_most >= 0
    and length(asked_by) between 1 and 200)
);
create index experiment_newest on gavel.experiment (org, set_name, asked_at desc);
select gavel_sys.keep_apart('gavel.experiment');
grant select, insert on gavel.experiment to gavel_app;
grant select on gavel.experiment to gavel_system;

-- What came of one case, asked once.
create table gavel.experiment_item (
  org         text not null references gavel_sys.organisation,
  experiment  text not null,
  seq         integer not null,
  rep         integer not null,
  case_id     text not null,
  state       text not null,
  differences text[] not null default '{}',
  calls       integer not null, -- of the model that were paid for
  kept        integer not null, -- answers that were there already
  tokens      bigint not null,
  micros      bigint not null,
  worth       bigint not null, -- what its answers cost when they were paid for, whoever did
  took_ms     integer not null,
  primary key (org, experiment, seq, rep),
  foreign key (org, experiment) references gavel.experiment,
  constraint experiment_item_form check (seq between 0 and 99999 and rep between 1 and 100 and length(case_id) between 1 and 100
    and state in ('passed', 'failed', 'open', 'unanswered') and cardinality(differences) <= 5
    and calls >= 0 and kept >= 0 and tokens >= 0 and micros >= 0 and worth >= micros and took_ms >= 0)
);
select gavel_sys.keep_apart('gavel.experiment_item');
grant select, insert on gavel.experiment_item to gavel_app;
grant select on gavel.experiment_item to gavel_system;

-- Scores of items: by code, by a judge or by a person. None is changed; a person who thinks
-- again adds another.
create table gavel.score (
  org        text not null references gavel_sys.organisation,
  experiment text not null,
  seq        integer not null,
  rep        integer not null,
  metric     text not null,
  source     text not null,
  who        text not null default '', -- the judge's route, or the person
  n          integer not null default 1, -- of the same person, again
  kind       text not null,
  hits       bigint not null default 0, -- of a boolean: so many of so many
  parts      bigint not null default 0,
  value      double precision,
  label      text not null default '',
  note       text not null default '',
  at         timestamptz not null,
  primary key (org, experiment, seq, rep, metric, source, who, n),
  foreign key (org, experiment, seq, rep) references gavel.experiment_item,
  constraint score_form check (length(metric) between 1 and 100 and source in ('code', 'judge', 'person') and length(who) <= 200
    and (source = 'code') = (who = '') and n between 1 and 1000 and kind in ('boolean', 'numeric', 'categorical')
    and hits >= 0 and parts >= 0 and (kind = 'numeric') = (value is not null) and (kind = 'categorical') = (label <> '')
    and length(label) <= 200 and length(note) <= 2000)
);
select gavel_sys.keep_apart('gavel.score');
grant select, insert on gavel.score to gavel_app;
grant select on gavel.score to gavel_system;

-- Answers of models that were paid for, by what was asked of whom. They are committed before
-- anything is made of them, so that no crash pays twice.
create table gavel.paid_answer (
  org      text not null references gavel_sys.organisation,
  key      text not null, -- SHA-256 of the request, the route and the repeat
  response text not null,
  micros   bigint not null,
  at       timestamptz not null,
  primary key (org, key),
  constraint paid_answer_form check (key ~ '^[0-9a-f]{64}$' and length(response) <= 16777216 and micros >= 0)
);
select gavel_sys.keep_apart('gavel.paid_answer');
grant select, insert on gavel.paid_answer to gavel_app;
grant select, delete on gavel.paid_answer to gavel_system;

-- Which experiment others of its set are compared with; the newest line counts.
create table gavel.baseline (
  org        text not null references gavel_sys.organisation,
  set_name   text not null,
  n          integer not null,
  experiment text not null,
  reason     text not null,
  pinned_by  text not null,
  pinned_at  timestamptz not null,
  primary key (org, set_name, n),
  foreign key (org, experiment) references gavel.experiment,
  constraint baseline_form check (length(set_name) between 1 and 200 and n >= 1 and length(reason) between 1 and 2000
    and length(pinned_by) between 1 and 200)
);
select gavel_sys.keep_apart('gavel.baseline');
grant select, insert on gavel.baseline to gavel_app;
grant select on gavel.baseline to gavel_system;
