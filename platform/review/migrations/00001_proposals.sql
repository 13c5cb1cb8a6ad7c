-- +goose Up

-- The last number given to a proposal of each organisation.
create table gavel.proposal_number (
  org  text primary key references gavel_sys.organisation,
  last bigint not null check (last > 0)
);
select gavel_sys.keep_apart('gavel.proposal_number');

-- A proposal is an effect that waits for a person. args is what would be done
-- and shown what a person is shown, both exact bytes with their digests; both
-- may name people, and are blanked when somebody is erased, after the end.
create table gavel.proposal (
  org               text not null,
  id                text not null,
  n                 bigint not null,
  case_id           text not null,
  kind              text not null,
  app               text not null,
  tool              text not null,  -- empty: approving it plans no act
  effect            text not null,
  key               text not null,  -- of the act it may become
  run               text not null,
  call              text not null,
  gate              text not null,
  args              text,
  args_sha256       text not null,
  shown             text,
  shown_sha256      text not null,
  requested_by      text not null,
  on_behalf_of      text not null,
  makers            text[] not null, -- who made what is decided, and may not decide it
  deciders          text[] not null, -- the roles that may
  allowed           text[] not null,
  required          int not null,
  policy_record     text not null,
  expires_at        timestamptz not null, -- infinity: never
  undo              interval not null,
  wake              text not null,        -- JSON: whom to tell
  created_at        timestamptz not null,
  state             text not null default 'open',
  final_args        text,  -- what was approved, where a person edited it
  final_args_sha256 text,
  ended_at          timestamptz,
  ended_by          text,  -- the decision that ended it; null if none did
  erased_at         timestamptz,
  primary key (org, id),
  constraint proposal_once unique (org, key),
  foreign key (org, case_id) references gavel.case (org, id),
  -- Few and long, because PostgreSQL reads every CHECK anew for each statement.
  constraint proposal_form check (
    id = 'P-' || n and n > 0
    and kind ~ '^[a-z][a-z0-9_]{1,39}$' and app ~ '^[a-z]{2,20}$' and tool ~ '^([a-z][a-z0-9_]{0,63})?$'
    and effect in ('', 'read', 'write', 'outside') and (tool = '') = (effect = '')
    and key ~ '^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$' and length(key) <= 400 and length(run) <= 300 and length(call) <= 200
    and args_sha256 ~ '^[0-9a-f]{64}$' and shown_sha256 ~ '^[0-9a-f]{64}$' and final_args_sha256 ~ '^[0-9a-f]{64}$'
    and length(args) <= 262144 and length(shown) <= 1048576 and length(final_args) <= 262144
    and length(requested_by) between 1 and 200 and length(on_behalf_of) <= 200
    and cardinality(makers) <= 50 and cardinality(deciders) <= 20
    and length(policy_record) <= 60 and length(wake) <= 12288 and undo >= interval '0'
    and (args is not null and shown is not null or erased_at is not null)),
  constraint proposal_gate check (
    required between 1 and 9
    and (gate = 'approve' and cardinality(deciders) > 0
      or gate = 'confirm' and on_behalf_of <> '' and required = 1)
    and cardinality(allowed) > 0 and allowed <@ array['approve', 'edit', 'send_back', 'reject']),
  constraint proposal_state check (
    state in ('open', 'approved', 'edited', 'rejected', 'sent_back', 'expired', 'withdrawn', 'superseded')
    and (state = 'open') = (ended_at is null)
    and (state in ('approved', 'edited')) = (final_args_sha256 is not null)
    and (state in ('approved', 'edited', 'rejected', 'sent_back')) = (ended_by is not null)
    and (state <> 'edited' or required = 1)
    and (state <> 'approved' or final_args_sha256 = args_sha256))
);
select gavel_sys.keep_apart('gavel.proposal');

-- What waits, by its date; what has ended, by its number; and all of a run and
-- of a case.
create index proposal_open on gavel.proposal (org, expires_at, n) where state = 'open';
create index proposal_ended on gavel.proposal (org, state, n) where state <> 'open';
create index proposal_run on gavel.proposal (org, run);
create index proposal_case on gavel.proposal (org, case_id, n);

-- A decision is a named person's answer to exactly the bytes they were shown.
-- Its id is chosen by who sends it, so that sending it twice decides once.
create table gavel.decision (
  org          text not null,
  id           text not null,
  proposal     text not null,
  verdict      text not null,
  actor_kind   text not null,
  actor_id     text not null,
  actor_name   text not null,
  roles        text[] not null,
  at           timestamptz not null,
  shown_sha256 text not null,
  args_sha256  text not null, -- what the answer is about: as proposed, or as edited
  reason       text not null,
  opened       text not null, -- JSON: what was opened, and for how long
  record_id    text not null,
  erased_at    timestamptz,
  primary key (org, id),
  foreign key (org, proposal) references gavel.proposal (org, id),
  constraint decision_form check (
    id ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{7,79}$'
    and verdict in ('approve', 'edit', 'send_back', 'reject', 'undo')
    and actor_kind = 'person' -- machines and agents decide nothing
    and length(actor_id) between 1 and 200 and length(actor_name) <= 200 and cardinality(roles) <= 20
    and args_sha256 ~ '^[0-9a-f]{64}$'
    and length(reason) <= 2000 and length(opened) <= 16384 and length(record_id) between 1 and 60
    and (verdict not in ('send_back', 'reject', 'undo') or reason <> '' or erased_at is not null))
);
select gavel_sys.keep_apart('gavel.decision');

-- One person, one voice in a proposal; calling it off later is another matter.
create unique index decision_once on gavel.decision (org, proposal, actor_id) where verdict <> 'undo';
create unique index decision_undo on gavel.decision (org, proposal) where verdict = 'undo';

-- Who may decide what is checked in Go, which can explain it, and here, where it
-- cannot be forgotten. After the insert, so that the wall speaks first.
-- +goose StatementBegin
create function gavel.decision_may() returns trigger language plpgsql as $$
declare
  p gavel.proposal;
  why text;
begin
  select * into p from gavel.proposal where org = new.org and id = new.proposal for update;
  why := case
    when p.id is null then 'there is no such proposal'
    when new.verdict = 'undo' and p.state not in ('approved', 'edited') then 'there is nothing to undo'
    when new.verdict <> 'undo' and p.state <> 'open' then 'the proposal is ' || p.state
    when new.verdict <> 'undo' and not new.verdict = any (p.allowed) then 'the verdict is not allowed'
    when new.verdict <> 'undo' and new.at >= p.expires_at then 'the proposal has expired'
    when new.shown_sha256 <> p.shown_sha256 then 'something else was shown'
    when new.verdict = 'edit' and p.required > 1 then 'what several approve cannot be edited'
    when new.verdict in ('approve', 'send_back', 'reject') and new.args_sha256 <> p.args_sha256 then 'the arguments are others'
    when p.gate = 'confirm' and new.actor_id <> p.on_behalf_of then 'only who it is done for may confirm'
    when p.gate = 'approve' and new.actor_id = any (p.makers || p.requested_by || p.on_behalf_of) then 'nobody decides what they made or asked for'
    when p.gate = 'approve' and not new.roles && p.deciders then 'the role may not decide'
  end;
  if why is not null then
    raise exception 'decision % on %: %', new.id, new.proposal, why
      using errcode = 'check_violation', constraint = 'decision_may';
  end if;
  return null;
end $$;
-- +goose StatementEnd
create trigger decision_may after insert on gavel.decision for each row execute function gavel.decision_may();

-- A decision stays; its words may be erased.
-- +goose StatementBegin
create function gavel.decision_stays() returns trigger language plpgsql as $$
begin
  raise exception 'decision % stays as it was made', old.id using errcode = 'check_violation', constraint = 'decision_stays';
end $$;
-- +goose StatementEnd
create trigger decision_stays before update on gavel.decision for each row
  when (old.erased_at is not null or new.erased_at is null or new.reason <> '' or new.opened <> '' or new.actor_name <> ''
    or (old.org, old.id, old.proposal, old.verdict, old.actor_kind, old.actor_id, old.roles, old.at, old.shown_sha256, old.args_sha256, old.record_id)
      is distinct from
       (new.org, new.id, new.proposal, new.verdict, new.actor_kind, new.actor_id, new.roles, new.at, new.shown_sha256, new.args_sha256, new.record_id))
  execute function gavel.decision_stays();

-- A proposal ends once, by the decisions it needs, and its words can only be
-- erased, after its end.
-- +goose StatementBegin
create function gavel.proposal_moves() returns trigger language plpgsql as $$
declare
  voices int;
  why text;
begin
  if old.state <> 'open' and (new.state, new.final_args_sha256, new.ended_at, new.ended_by)
      is distinct from (old.state, old.final_args_sha256, old.ended_at, old.ended_by) then
    why := 'it has ended as ' || old.state;
  elsif old.state <> 'open' and (new.args is distinct from old.args and new.args is not null
      or new.shown is distinct from old.shown and new.shown is not null
      or new.final_args is distinct from old.final_args and new.final_args is not null
      or new.erased_at is null and (new.args, new.shown, new.final_args) is distinct from (old.args, old.shown, old.final_args)
      or old.erased_at is not null and new.erased_at is distinct from old.erased_at) then
    why := 'its words stay, or are erased';
  elsif old.state = 'open' and ((new.args, new.shown) is distinct from (old.args, old.shown) or new.erased_at is not null) then
    why := 'its words stay while it is open';
  elsif old.state = 'open' and new.state in ('approved', 'edited', 'rejected', 'sent_back') then
    select count(distinct actor_id) into voices from gavel.decision
      where org = old.org and proposal = old.id
        and verdict = case new.state when 'approved' then 'approve' when 'edited' then 'edit' when 'rejected' then 'reject' else 'send_back' end
        and (new.final_args_sha256 is null or args_sha256 = new.final_args_sha256);
    if voices < (case when new.state in ('approved', 'edited') then old.required else 1 end) then
      why := 'the decisions it needs are not there';
    elsif not exists (select from gavel.decision where org = old.org and id = new.ended_by and proposal = old.id) then
      why := 'the decision that ends it is another''s';
    end if;
  elsif old.state = 'open' and new.state = 'expired' and new.ended_at < old.expires_at then
    why := 'its date has not come';
  end if;
  if why is not null then
    raise exception 'proposal %: %', old.id, why using errcode = 'check_violation', constraint = 'proposal_moves';
  end if;
  return new;
end $$;
-- +goose StatementEnd
create trigger proposal_moves before update on gavel.proposal for each row execute function gavel.proposal_moves();

-- No act without its authority: an approved proposal with the same arguments,
-- or a policy's answer in the log, alone or as part of a turn's record, that
-- names these very arguments.
-- +goose StatementBegin
create function gavel.act_authorised() returns trigger language plpgsql as $$
begin
  if new.proposal is not null then
    perform from gavel.proposal p
      where p.org = new.org and p.id = new.proposal and p.state in ('approved', 'edited')
        and p.final_args_sha256 = new.args_sha256 and p.key = new.key and p.case_id = new.case_id
        and p.app = new.app and p.tool = new.tool and p.effect = new.effect;
  else
    -- The record says, of this very call, that it may run.
    perform from gavel.record r where r.org = new.org and r.id = new.policy_record and r.kind in ('policy', 'model_call')
      and r.json::jsonb #>> '{subject}' = new.run
      and r.json::jsonb #> '{body,calls}' @> jsonb_build_array(jsonb_build_object(
        'call', new.call, 'tool', new.tool, 'args_sha256', new.args_sha256, 'verdict', 'act'));
  end if;
  if not found then
    raise exception 'act %: nobody has authorised it', new.key using errcode = 'check_violation', constraint = 'act_authorised';
  end if;
  return null;
end $$;
-- +goose StatementEnd
create trigger act_authorised after insert on gavel.act for each row execute function gavel.act_authorised();

grant select, insert, update on gavel.proposal_number to gavel_app;
grant select on gavel.proposal, gavel.decision to gavel_app, gavel_system;
grant select on gavel.proposal_number to gavel_system;
-- Without state and outcome: a proposal begins open.
grant insert (org, id, n, case_id, kind, app, tool, effect, key, run, call, gate, args, args_sha256, shown, shown_sha256,
  requested_by, on_behalf_of, makers, deciders, allowed, required, policy_record, expires_at, undo, wake, created_at) on gavel.proposal to gavel_app;
grant update (args, shown, state, final_args, final_args_sha256, ended_at, ended_by, erased_at) on gavel.proposal to gavel_app;
grant insert on gavel.decision to gavel_app;
grant update (actor_name, reason, opened, erased_at) on gavel.decision to gavel_app;
