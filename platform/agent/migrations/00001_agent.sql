-- +goose Up

-- A spec is an agent's job description, word for word, by its digest. It holds
-- no organisation's data: what a build brings is the installation's. A running
-- case keeps the one it started with.
create table gavel_sys.agent_spec (
  sha256   bytea not null primary key check (length(sha256) = 32),
  app      text not null check (app ~ '^[a-z]{2,20}$'),
  name     text not null check (name ~ '^[a-z][a-z0-9_]{1,39}$'),
  body     bytea not null check (length(body) <= 262144), -- canonical JSON
  first_at timestamptz not null
);
grant select, insert on gavel_sys.agent_spec to gavel_app;
grant select on gavel_sys.agent_spec to gavel_system;

-- A run is one execution of an agent: how it stands now.
create table gavel.run (
  org         text not null,
  id          text not null check (id ~ '^run_[0-9A-HJKMNP-TV-Z]{26}$'),
  case_id     text not null,
  app         text not null check (app ~ '^[a-z]{2,20}$'),
  agent       text not null check (agent ~ '^[a-z][a-z0-9_]{1,39}$'),
  name        text not null check (length(name) between 1 and 80), -- of the task, unique in its workflow
  spec        bytea not null references gavel_sys.agent_spec,
  root        text not null, -- the run at the top of the tree; itself where it has no parent
  parent      text,          -- the run that asked for it
  parent_call text,
  for_kind    text not null default '' check (for_kind in ('', 'person', 'agent', 'machine', 'system')),
  for_id      text not null default '' check (length(for_id) <= 200),
  roles       text[] not null default '{}',
  subjects    text[] not null default '{}', -- whom the transcript is sealed for
  state       text not null check (state in ('running', 'waiting_person', 'waiting_reply', 'held', 'done', 'failed', 'stopped', 'out_of_budget')),
  reason      text not null default '' check (length(reason) <= 500), -- why it ended as it did, in plain words
  seq         int not null check (seq >= 0),  -- the newest turn
  head        bytea,                          -- of the transcript
  tainted     boolean not null default false, -- text from outside has been read
  calls       bigint not null default 0,      -- of models
  tokens_in   bigint not null default 0,
  tokens_out  bigint not null default 0,
  cost        bigint,                         -- millionths of the currency; null where a price is unknown
  currency    text not null default '' check (length(currency) <= 8),
  workflow_id text not null check (length(workflow_id) <= 300),
  workflow_run text not null check (length(workflow_run) <= 64),
  started_at  timestamptz not null,
  moved_at    timestamptz not null,
  ended_at    timestamptz,
  version     bigint not null default 1,
  primary key (org, id),
  foreign key (org, case_id) references gavel.case (org, id)
);
select gavel_sys.keep_apart('gavel.run');
create index run_by_case on gavel.run (org, case_id, started_at);
create index run_by_state on gavel.run (org, state, started_at);
create index run_by_start on gavel.run (org, started_at);

-- A step is one turn that happened: what was asked of whom, and what came of
-- it. It is written once, with everything the turn did, so a repeated turn
-- finds it and asks nobody again. It holds ids and digests.
create table gavel.step (
  org      text not null,
  run_id   text not null,
  seq      int not null check (seq >= 0),
  kind     text not null check (kind in ('turn', 'compaction')),
  at       timestamptz not null,
  took_ms  int not null,
  model    jsonb not null,          -- who answered: identity, usage, parameters
  head     bytea not null,
  calls    jsonb not null,          -- each call's tool, digest, what was ruled and where its result is
  outcome  jsonb not null,          -- what the workflow was told
  record   text not null,           -- the log's entry
  primary key (org, run_id, seq),
  foreign key (org, run_id) references gavel.run (org, id) deferrable initially deferred
);
select gavel_sys.keep_apart('gavel.step');

-- A node is one turn's piece of a transcript, by its digest; the chain of
-- parents is the whole. Where a run concerns somebody, the body is sealed and
-- the digest is the envelope's.
create table gavel.node (
  org    text not null references gavel_sys.organisation,
  sha256 bytea not null check (length(sha256) = 32),
  parent bytea check (length(parent) = 32),
  sealed boolean not null,
  body   bytea not null check (length(body) <= 33554432 + 1024),
  primary key (org, sha256)
);
select gavel_sys.keep_apart('gavel.node');

-- A message is what a person said to a run: its words are here, in a table that
-- can be blanked, until the turn that reads them puts them into the transcript.
create table gavel.run_message (
  org      text not null,
  run_id   text not null,
  id       text not null check (length(id) between 1 and 64),
  actor_id text not null check (length(actor_id) <= 200),
  body     text not null check (length(body) <= 20000),
  at       timestamptz not null,
  primary key (org, run_id, id)
);
select gavel_sys.keep_apart('gavel.run_message');

grant select, insert on gavel.run, gavel.step, gavel.node, gavel.run_message to gavel_app;
grant update (state, reason, seq, head, tainted, calls, tokens_in, tokens_out, cost, currency, moved_at, ended_at, version, workflow_run, subjects) on gavel.run to gavel_app;
grant update (body) on gavel.run_message to gavel_app;
grant select on gavel.run, gavel.step, gavel.node to gavel_system;

-- What has ended stays as it ended.
-- +goose StatementBegin
create function gavel.run_stays_ended() returns trigger language plpgsql as $$
begin
  raise exception 'run % has ended', old.id using errcode = 'check_violation', constraint = 'run_stays_ended';
end $$;
-- +goose StatementEnd
create trigger run_stays_ended before update on gavel.run
  for each row when (old.state in ('done', 'failed', 'out_of_budget')) execute function gavel.run_stays_ended();
