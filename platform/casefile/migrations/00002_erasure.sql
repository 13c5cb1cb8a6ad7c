-- +goose Up

-- Whom a case is about, or one entry of it: seq 0 is the whole case. subject is
-- the opaque id under which a person is erased, "rider:R-7". Rows are only added,
-- and stay after an erasure: they say whom the gap was about, by that id.
create table gavel.case_subject (
  org     text not null,
  case_id text not null,
  seq     bigint not null check (seq >= 0),
  subject text not null check (length(subject) between 3 and 200),
  primary key (org, case_id, seq, subject),
  foreign key (org, case_id) references gavel.case (org, id)
);
select gavel_sys.keep_apart('gavel.case_subject');
create index case_subject_by_subject on gavel.case_subject (org, subject);

-- A case about somebody who was erased has no title; one that was not, has.
alter table gavel.case add column erased_at timestamptz;
alter table gavel.case drop constraint case_title_check;
alter table gavel.case add constraint case_title_check
  check (length(title) <= 300 and (title = '') = (erased_at is not null));

-- An erased entry has lost its text, its salt and its author's name. Without the
-- salt the digest in the log can no longer be guessed back.
alter table gavel.case_entry add column erased_at timestamptz;
alter table gavel.case_entry alter column salt drop not null;
alter table gavel.case_entry add constraint case_entry_erased
  check ((salt is null) = (erased_at is not null) and (erased_at is null or body = '' and actor_name = ''));

-- Blanking is the only change there is. A column that is added later is held to
-- this without being named here.
-- +goose StatementBegin
create function gavel.case_entry_stays() returns trigger language plpgsql as $$
declare
  may_go constant text[] := '{body,salt,actor_name,erased_at}';
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - may_go = to_jsonb(old) - may_go and new.actor_name in (old.actor_name, '') and (
       (new.body, new.salt, new.erased_at) is not distinct from (old.body, old.salt, old.erased_at)
       or old.erased_at is null and new.erased_at is not null and new.body = '' and new.salt is null) then
    return new;
  end if;
  raise exception 'entry % of case % can be erased and not changed', old.seq, old.case_id
    using errcode = 'insufficient_privilege';
end $$;

create function gavel.case_title_stays() returns trigger language plpgsql as $$
begin
  if old.erased_at is null and new.erased_at is not null and new.title = '' then
    return new;
  end if;
  raise exception 'the title of case % can be erased and not changed', old.id using errcode = 'insufficient_privilege';
end $$;

-- What was closed stays as it was, but for an erasure.
create or replace function gavel.case_stays_closed() returns trigger language plpgsql as $$
declare
  may_go constant text[] := '{title,waiting_for,erased_at}';
begin
  if to_jsonb(new) - may_go = to_jsonb(old) - may_go and new.waiting_for in (old.waiting_for, '') then
    return new; -- the title is held by a trigger of its own
  end if;
  raise exception 'case % is closed', old.id using errcode = 'check_violation', constraint = 'case_stays_closed';
end $$;
-- +goose StatementEnd
create trigger case_entry_stays before update or delete on gavel.case_entry
  for each row execute function gavel.case_entry_stays();
create trigger case_title_stays before update on gavel.case
  for each row when ((old.title, old.erased_at) is distinct from (new.title, new.erased_at))
  execute function gavel.case_title_stays();

grant select, insert on gavel.case_subject to gavel_app;
grant select on gavel.case_subject to gavel_system;
grant update (title, erased_at) on gavel.case to gavel_app;
grant update (body, salt, actor_name, erased_at) on gavel.case_entry to gavel_app;
