-- +goose Up

-- Decisions are read by their proposal on every page of one, and by their time in
-- the report on oversight.
create index decision_of on gavel.decision (org, proposal, at, id);
create index decision_at on gavel.decision (org, at);

-- Who may not decide what waits, found by who it is: those who made the thing,
-- and, where several must approve, those who have, or in whose stead somebody
-- has. It is for lists; a decision is judged by the proposal and the decisions
-- themselves. Rows go when the proposal ends.
create table gavel.proposal_barred (
  org      text not null,
  person   text not null,
  proposal text not null,
  why      text not null,
  primary key (org, person, proposal),
  foreign key (org, proposal) references gavel.proposal (org, id),
  constraint proposal_barred_form check (length(person) between 1 and 200 and why in ('made', 'signed', 'signed_for'))
);
create index proposal_barred_of on gavel.proposal_barred (org, proposal);

-- What waits already. The owner is held to the walls between organisations, so
-- they stand open for this statement, inside the migration's own transaction.
alter table gavel.proposal no force row level security;
alter table gavel.decision no force row level security;
insert into gavel.proposal_barred (org, person, proposal, why)
  select p.org, m.person, p.id, 'made' from gavel.proposal p cross join lateral (select distinct unnest(p.makers) as person) m
  where p.state = 'open' and length(m.person) between 1 and 200
  union all
  select d.org, v.person, d.proposal, v.why from gavel.decision d join gavel.proposal p on p.org = d.org and p.id = d.proposal
    cross join lateral (values (d.actor_id, 'signed'), (d.on_behalf, 'signed_for')) v (person, why)
  where p.state = 'open' and d.verdict = 'approve' and v.person <> ''
  on conflict do nothing;
alter table gavel.proposal force row level security;
alter table gavel.decision force row level security;
select gavel_sys.keep_apart('gavel.proposal_barred');

-- +goose StatementBegin
create function gavel.proposal_bars() returns trigger language plpgsql as $$
begin
  insert into gavel.proposal_barred (org, person, proposal, why)
    select distinct new.org, m, new.id, 'made' from unnest(new.makers) m where m <> ''
    on conflict do nothing;
  return null;
end $$;

create function gavel.decision_bars() returns trigger language plpgsql as $$
begin
  insert into gavel.proposal_barred (org, person, proposal, why)
    select new.org, v.person, new.proposal, v.why
    from gavel.proposal p cross join lateral (values (new.actor_id, 'signed'), (new.on_behalf, 'signed_for')) v (person, why)
    where p.org = new.org and p.id = new.proposal and p.required > 1 and v.person <> ''
    on conflict do nothing;
  return null;
end $$;

create function gavel.proposal_frees() returns trigger language plpgsql as $$
begin
  delete from gavel.proposal_barred where org = old.org and proposal = old.id;
  return null;
end $$;
-- +goose StatementEnd
create trigger proposal_bars after insert on gavel.proposal for each row
  when (cardinality(new.makers) > 0) execute function gavel.proposal_bars();
create trigger decision_bars after insert on gavel.decision for each row
  when (new.verdict = 'approve') execute function gavel.decision_bars();
create trigger proposal_frees after update on gavel.proposal for each row
  when (old.state = 'open' and new.state <> 'open' and (old.required > 1 or cardinality(old.makers) > 0)) execute function gavel.proposal_frees();

grant select, insert, delete on gavel.proposal_barred to gavel_app;
grant select on gavel.proposal_barred to gavel_system;

-- An inbox is counted exactly, which reads a line of the index for everything
-- that needs somebody: so all that decides whether it does is in the index, and
-- what is assigned to others stands apart.
create index proposal_desk on gavel.proposal (org, roles_key, app, assigned_to, due, n)
  include (id, kind, gate, requested_by, on_behalf_of, expires_at) where state = 'open';
drop index gavel.proposal_inbox;
drop index gavel.proposal_several;
