-- +goose Up

-- An act is an effect that somebody authorised. The row is made in the
-- transaction that authorises it: no authority, no row; no row, no effect. What
-- counts as authority is checked by a trigger that comes with the proposals.
--
-- args and result are text and not jsonb, because a digest is of exact bytes.
-- They may name people: they are blanked when somebody is erased, and the
-- digests stay.
create table gavel.act (
  org           text not null,
  key           text not null,
  case_id       text not null,
  run           text not null,
  call          text not null,
  app           text not null,
  tool          text not null,
  effect        text not null,
  agent         text not null default '', -- whose call it was: what a pause of one agent goes by
  args          text,
  args_sha256   text not null,
  proposal      text,                     -- the authority: either an approved proposal
  policy_record text,                     -- or a record that policy lets it run unattended
  by_kind       text not null,            -- who authorised it
  by_id         text not null,
  not_before    timestamptz,              -- until then it can be undone, on the installation's clock
  planned_at    timestamptz not null,     -- the installation's clock
  state         text not null default 'planned',
  fence         bigint not null default 0, -- counts the claims; only the last may finish
  lease_until   timestamptz,              -- the database's own clock: it is about processes, not about dates
  result        text,
  result_sha256 text,
  reason        text not null default '', -- why it failed, is unknown or was undone
  ended_at      timestamptz,
  erased_at     timestamptz,
  primary key (org, key),
  foreign key (org, case_id) references gavel.case (org, id),
  -- Few and long, because PostgreSQL reads every CHECK anew for each statement.
  constraint act_form check (
    key ~ '^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$' and length(key) <= 400
    and length(run) <= 300 and length(call) <= 200 and length(agent) <= 200 and length(by_id) <= 200
    and app ~ '^[a-z]{2,20}$' and tool ~ '^[a-z][a-z0-9_]{0,63}$'
    and effect in ('read', 'write', 'outside')
    and args_sha256 ~ '^[0-9a-f]{64}$' and length(args) <= 262144
    and by_kind in ('person', 'agent', 'machine', 'system')
    and length(result) <= 1048576 and length(reason) <= 2000
    and (args is not null or erased_at is not null)),
  constraint act_authority check ((proposal is null) <> (policy_record is null)),
  constraint act_state check (
    state in ('planned', 'held', 'running', 'done', 'failed', 'unknown', 'undone')
    and (state = 'running') = (lease_until is not null)
    and (state in ('done', 'failed', 'unknown', 'undone')) = (ended_at is not null)
    and (state not in ('running', 'done', 'failed', 'unknown') or fence > 0))
);
select gavel_sys.keep_apart('gavel.act');

-- One approval is one act.
create unique index act_proposal on gavel.act (org, proposal) where proposal is not null;
create index act_case on gavel.act (org, case_id, planned_at);
create index act_pending on gavel.act (org, planned_at) where state in ('planned', 'held', 'running');

-- What has ended stays as it ended, claims are counted upwards, and the only
-- change to what was authorised is its erasure. The grants below say the rest.
-- +goose StatementBegin
create function gavel.act_stays() returns trigger language plpgsql as $$
begin
  raise exception 'act % is %: what was authorised and how it ended stay as they are', old.key, old.state
    using errcode = 'check_violation', constraint = 'act_stays';
end $$;
-- +goose StatementEnd
create trigger act_ended_stays before update on gavel.act for each row
  when (old.ended_at is not null and (new.state <> old.state or new.fence <> old.fence or new.ended_at <> old.ended_at
    or new.result_sha256 is distinct from old.result_sha256
    or new.args is distinct from old.args and new.args is not null
    or new.result is distinct from old.result and new.result is not null
    or new.reason <> old.reason and new.reason <> ''
    or old.erased_at is not null and new.erased_at is distinct from old.erased_at
    or new.erased_at is null and (new.args is null or new.result is distinct from old.result or new.reason <> old.reason)))
  execute function gavel.act_stays();
create trigger act_open_moves before update on gavel.act for each row
  when (old.ended_at is null and (new.args is distinct from old.args or new.erased_at is not null or new.fence < old.fence
    or new.fence = old.fence and new.state = 'running' and old.state <> 'running'
    or old.state in ('planned', 'held') and new.state in ('done', 'failed', 'unknown')
    or old.state = 'running' and new.state in ('held', 'undone')))
  execute function gavel.act_stays();

-- A pause holds acts that have not begun. Timers and decisions go on.
create table gavel.pause (
  org    text not null references gavel_sys.organisation,
  scope  text not null check (scope ~ '^(all|outside|app:[a-z]{2,20}|agent:[A-Za-z0-9._:/@+-]{1,190})$'),
  reason text not null check (length(reason) between 1 and 2000),
  by_id  text not null check (length(by_id) between 1 and 200),
  at     timestamptz not null,
  primary key (org, scope)
);
select gavel_sys.keep_apart('gavel.pause');

grant select on gavel.act to gavel_app, gavel_system;
-- Without state, fence and outcome: an act begins as planned.
grant insert (org, key, case_id, run, call, app, tool, effect, agent, args, args_sha256, proposal, policy_record,
  by_kind, by_id, not_before, planned_at) on gavel.act to gavel_app;
grant update (args, state, fence, lease_until, result, result_sha256, reason, ended_at, erased_at) on gavel.act to gavel_app;
grant select, insert, delete on gavel.pause to gavel_app;
grant select on gavel.pause to gavel_system;
