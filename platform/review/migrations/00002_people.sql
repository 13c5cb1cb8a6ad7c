-- +goose Up

-- A list of roles as one text. Behind the walls between organisations an index is
-- used only by comparisons that cannot leak what they compare: those of texts and
-- times, but not of lists, nor of what a function makes. So both are columns.
-- +goose StatementBegin
create function gavel.roles_key(text[]) returns text language sql immutable strict parallel safe as $$ select array_to_string($1, ',') $$;
-- +goose StatementEnd

-- What people need around a decision: when it is due, who is reminded, to whom it
-- goes on, whom it is for. truth is set on a proposal that is known to be wrong
-- and is there to test that oversight is real: nothing ever comes of it.
alter table gavel.proposal
  add column line         text not null default '',   -- what it would do, for lists; blanked with the other words
  add column due_at       timestamptz,                -- null: when it expires
  add column due          timestamptz generated always as (coalesce(due_at, expires_at)) stored,
  add column roles_key    text generated always as (gavel.roles_key(deciders)) stored,
  add column remind_at    timestamptz,
  add column reminded_at  timestamptz,
  add column escalate_at  timestamptz,
  add column escalate_to  text[] not null default '{}',
  add column escalated_at timestamptz,
  add column assigned_to  text not null default '',
  add column truth        text,                       -- what is wrong with it; empty once erased
  add column seed_nonce   text,
  add constraint proposal_attention check (
    length(line) <= 300 and length(assigned_to) <= 200 and (escalate_at is null) = (cardinality(escalate_to) = 0) and cardinality(escalate_to) <= 20
    and (gate = 'approve' or cardinality(escalate_to) = 0 and assigned_to = '')
    and (truth is null) = (seed_nonce is null) and length(truth) <= 2000 and length(seed_nonce) between 16 and 60);

-- The inbox reads what waits for a list of roles by its date, and finds the lists
-- there are by stepping from one to the next; then what waits for one person.
create index proposal_inbox on gavel.proposal (org, roles_key, app, due, n) where state = 'open';
create index proposal_assigned on gavel.proposal (org, assigned_to, due, n) where state = 'open' and assigned_to <> '';
create index proposal_behalf on gavel.proposal (org, on_behalf_of, due, n) where state = 'open' and on_behalf_of <> '';
create index proposal_asked on gavel.proposal (org, requested_by, due, n) where state = 'open' and requested_by not like 'agent:%';
create index proposal_several on gavel.proposal (org, due, n) where state = 'open' and required > 1;
create index proposal_seeded on gavel.proposal (org, expires_at) where state = 'open' and truth is not null;

-- A delegation lets one person decide where another may, for a time. roles are
-- what the giver had when it was made, never what was delegated to them: it
-- cannot be passed on. It stays as it was made, and can only be ended early.
create table gavel.delegation (
  org       text not null references gavel_sys.organisation,
  id        text not null,
  from_id   text not null,
  from_name text not null,
  to_id     text not null,
  to_name   text not null,
  roles     text[] not null,
  app       text not null,  -- empty: of every application
  kind      text not null,  -- empty: of every kind
  starts_at timestamptz not null,
  ends_at   timestamptz not null,
  reason    text not null,
  made_at   timestamptz not null,
  record_id text not null,
  ended_at  timestamptz,
  ended_by  text,
  primary key (org, id),
  constraint delegation_form check (
    id ~ '^del_[0-9A-HJKMNP-TV-Z]{26}$' and from_id <> to_id
    and length(from_id) between 1 and 200 and length(to_id) between 1 and 200 and length(from_name) <= 200 and length(to_name) <= 200
    and cardinality(roles) between 1 and 20 and app ~ '^([a-z]{2,20})?$' and kind ~ '^([a-z][a-z0-9_]{1,39})?$'
    and starts_at < ends_at and ends_at <= starts_at + interval '366 days'
    and length(reason) <= 2000 and length(record_id) between 1 and 60
    and (ended_at is null) = (ended_by is null) and length(ended_by) <= 200)
);
select gavel_sys.keep_apart('gavel.delegation');
create index delegation_to on gavel.delegation (org, to_id, ends_at);
create index delegation_from on gavel.delegation (org, from_id, ends_at);

-- +goose StatementBegin
create function gavel.delegation_stays() returns trigger language plpgsql as $$
begin
  raise exception 'delegation % stays as it was made', old.id using errcode = 'check_violation', constraint = 'delegation_stays';
end $$;
-- +goose StatementEnd
create trigger delegation_stays before update on gavel.delegation for each row
  when (old.ended_at is not null or new.ended_at is null
    or (old.org, old.id, old.from_id, old.to_id, old.roles, old.app, old.kind, old.starts_at, old.ends_at, old.made_at, old.record_id)
      is distinct from
       (new.org, new.id, new.from_id, new.to_id, new.roles, new.app, new.kind, new.starts_at, new.ends_at, new.made_at, new.record_id))
  execute function gavel.delegation_stays();

-- In whose stead a decision was made, under which delegation, and how long what
-- it is about was open before the person's eyes, as far as the page could tell.
alter table gavel.decision
  add column on_behalf    text not null default '',
  add column delegation   text not null default '',
  add column open_seconds int,
  add constraint decision_behalf check (
    (on_behalf = '') = (delegation = '') and on_behalf <> actor_id and length(on_behalf) <= 200 and length(delegation) <= 40
    and open_seconds between 0 and 86400);
create index decision_by_actor on gavel.decision (org, actor_id, at);

-- As before, and: who decides in another's stead needs that one's delegation, in
-- force and for such a proposal; neither of the two may have made or asked for
-- it, or have had a voice in it.
-- +goose StatementBegin
create or replace function gavel.decision_may() returns trigger language plpgsql as $$
declare
  p gavel.proposal;
  g gavel.delegation;
  two text[] := array_remove(array[new.actor_id, nullif(new.on_behalf, '')], null);
  why text;
begin
  select * into p from gavel.proposal where org = new.org and id = new.proposal for update;
  if new.on_behalf <> '' then
    select * into g from gavel.delegation where org = new.org and id = new.delegation for share;
  end if;
  why := case
    when p.id is null then 'there is no such proposal'
    when new.verdict = 'undo' and p.state not in ('approved', 'edited') then 'there is nothing to undo'
    when new.verdict <> 'undo' and p.state <> 'open' then 'the proposal is ' || p.state
    when new.verdict <> 'undo' and not new.verdict = any (p.allowed) then 'the verdict is not allowed'
    when new.verdict <> 'undo' and new.at >= p.expires_at then 'the proposal has expired'
    when new.shown_sha256 <> p.shown_sha256 then 'something else was shown'
    when new.verdict = 'edit' and p.required > 1 then 'what several approve cannot be edited'
    when new.verdict in ('approve', 'send_back', 'reject') and new.args_sha256 <> p.args_sha256 then 'the arguments are others'
    when p.gate = 'confirm' and (new.actor_id <> p.on_behalf_of or new.on_behalf <> '') then 'only who it is done for may confirm'
    when p.gate = 'approve' and two && (p.makers || p.requested_by || p.on_behalf_of) then 'nobody decides what they made or asked for'
    when p.gate = 'approve' and new.on_behalf = '' and not new.roles && p.deciders then 'the role may not decide'
    when new.on_behalf <> '' and (g.id is null or g.from_id <> new.on_behalf or g.to_id <> new.actor_id or g.ended_at is not null
      or new.at < g.starts_at or new.at >= g.ends_at or g.app not in ('', p.app) or g.kind not in ('', p.kind)
      or not g.roles && p.deciders) then 'nobody has delegated it'
    when p.required > 1 and new.verdict <> 'undo' and exists (select from gavel.decision d
      where d.org = new.org and d.proposal = new.proposal and d.id <> new.id and d.verdict <> 'undo'
        and (d.actor_id = any (two) or d.on_behalf = any (two))) then 'one of them has had a voice'
  end;
  if why is not null then
    raise exception 'decision % on %: %', new.id, new.proposal, why
      using errcode = 'check_violation', constraint = 'decision_may';
  end if;
  return null;
end $$;
-- +goose StatementEnd

drop trigger decision_stays on gavel.decision;
create trigger decision_stays before update on gavel.decision for each row
  when (old.erased_at is not null or new.erased_at is null or new.reason <> '' or new.opened <> '' or new.actor_name <> ''
    or (old.org, old.id, old.proposal, old.verdict, old.actor_kind, old.actor_id, old.roles, old.at, old.shown_sha256, old.args_sha256, old.record_id,
        old.on_behalf, old.delegation, old.open_seconds)
      is distinct from
       (new.org, new.id, new.proposal, new.verdict, new.actor_kind, new.actor_id, new.roles, new.at, new.shown_sha256, new.args_sha256, new.record_id,
        new.on_behalf, new.delegation, new.open_seconds))
  execute function gavel.decision_stays();

-- As before, and: the roles that decide grow once, by those it escalates to, when
-- the time for that has come; it is assigned to nobody who may not decide it, and
-- after its end to nobody else; what a test is about stays.
-- +goose StatementBegin
create or replace function gavel.proposal_moves() returns trigger language plpgsql as $$
declare
  voices int;
  why text;
begin
  why := case
    when new.line <> old.line and not (new.line = '' and new.erased_at is not null) then 'its words stay, or are erased'
    when new.truth is distinct from old.truth and not coalesce(old.truth is not null and new.truth = '' and new.erased_at is not null, false)
      then 'what it tests stays, or is erased'
    when (new.deciders, new.escalated_at) is distinct from (old.deciders, old.escalated_at)
      and not coalesce(old.state = 'open' and new.state = 'open' and old.gate = 'approve' and old.escalated_at is null
        and new.escalated_at >= old.escalate_at and new.deciders = old.deciders || old.escalate_to, false)
      then 'it escalates once, to whom it said, in its time'
    when new.reminded_at is distinct from old.reminded_at
      and not coalesce(old.state = 'open' and new.state = 'open' and old.reminded_at is null and new.reminded_at >= old.remind_at, false)
      then 'it reminds once, in its time'
    when new.assigned_to <> old.assigned_to
      and (old.state <> 'open' or new.assigned_to <> '' and new.assigned_to = any (old.makers || old.requested_by || old.on_behalf_of))
      then 'it is assigned while it waits, to somebody who may decide it'
  end;
  if why is not null then
    null; -- the first reason is enough
  elsif old.state <> 'open' and (new.state, new.final_args_sha256, new.ended_at, new.ended_by)
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

-- As before, and: nothing ever comes of a proposal that is there as a test.
-- +goose StatementBegin
create or replace function gavel.act_authorised() returns trigger language plpgsql as $$
begin
  if new.proposal is not null then
    perform from gavel.proposal p
      where p.org = new.org and p.id = new.proposal and p.state in ('approved', 'edited') and p.truth is null
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

-- "Asha is looking": one at a time, for some minutes. It keeps nobody from
-- deciding, and goes when the proposal has ended.
create table gavel.proposal_claim (
  org        text not null,
  proposal   text not null,
  actor_id   text not null,
  actor_name text not null,
  until      timestamptz not null,
  primary key (org, proposal),
  foreign key (org, proposal) references gavel.proposal (org, id),
  constraint proposal_claim_form check (length(actor_id) between 1 and 200 and length(actor_name) <= 200)
);
select gavel_sys.keep_apart('gavel.proposal_claim');

-- What a person wants to see again later.
create table gavel.proposal_snooze (
  org      text not null,
  actor_id text not null,
  proposal text not null,
  until    timestamptz not null,
  primary key (org, actor_id, proposal),
  foreign key (org, proposal) references gavel.proposal (org, id),
  constraint proposal_snooze_form check (length(actor_id) between 1 and 200)
);
select gavel_sys.keep_apart('gavel.proposal_snooze');
create index proposal_snooze_of on gavel.proposal_snooze (org, proposal);

-- What a page says a person had open, until they decide or the proposal ends.
create table gavel.proposal_opened (
  org      text not null,
  proposal text not null,
  actor_id text not null,
  what     text not null,
  seconds  int not null,
  primary key (org, proposal, actor_id, what),
  foreign key (org, proposal) references gavel.proposal (org, id),
  constraint proposal_opened_form check (
    length(actor_id) between 1 and 200 and what ~ '^[A-Za-z0-9][A-Za-z0-9._:/#-]{0,39}$' and seconds between 1 and 86400)
);
select gavel_sys.keep_apart('gavel.proposal_opened');

-- What somebody should be told. Its key makes it once; whoever sends mail reads
-- it from here.
create table gavel.notice (
  org       text not null references gavel_sys.organisation,
  key       text not null,
  recipient text not null, -- person:<id> or role:<role>
  kind      text not null,
  proposal  text not null, -- empty where it is about none
  case_id   text not null,
  at        timestamptz not null,
  primary key (org, key),
  constraint notice_form check (
    length(key) between 1 and 300 and recipient ~ '^(person|role):.' and length(recipient) <= 210
    and kind in ('reminder', 'escalation', 'assigned', 'delegated', 'expired') and length(proposal) <= 40 and length(case_id) <= 60)
);
select gavel_sys.keep_apart('gavel.notice');
create index notice_to on gavel.notice (org, recipient, at);

grant insert (line, due_at, remind_at, escalate_at, escalate_to, assigned_to, truth, seed_nonce) on gavel.proposal to gavel_app;
grant update (line, deciders, reminded_at, escalated_at, assigned_to, truth) on gavel.proposal to gavel_app;
grant select, insert on gavel.delegation to gavel_app;
grant update (ended_at, ended_by) on gavel.delegation to gavel_app;
grant select, insert, delete on gavel.proposal_claim, gavel.proposal_snooze, gavel.proposal_opened to gavel_app;
grant update (actor_id, actor_name, until) on gavel.proposal_claim to gavel_app;
grant update (until) on gavel.proposal_snooze to gavel_app;
grant update (seconds) on gavel.proposal_opened to gavel_app;
grant select, insert on gavel.notice to gavel_app;
grant select on gavel.delegation, gavel.proposal_claim, gavel.proposal_snooze, gavel.proposal_opened, gavel.notice to gavel_system;
