-- +goose Up

-- Evidence whose words concerned somebody who was erased: the piece stays, by its
-- number and digest, without a title and a note.
alter table gavel.evidence add column erased_at timestamptz;
alter table gavel.evidence drop constraint evidence_title_check;
alter table gavel.evidence add constraint evidence_title_check
  check (length(title) <= 300 and (title = '') = (erased_at is not null) and (erased_at is null or note = ''));

-- A fact about such a person loses their names. Number, unit, opaque ids and
-- formula stay. entered_sha256 is the digest it was entered under, so that the
-- facts entered with it can still be compared with the log.
alter table gavel.fact add column erased_at timestamptz;
alter table gavel.fact add column entered_sha256 text check (entered_sha256 ~ '^[0-9a-f]{64}$');
alter table gavel.fact add constraint fact_erased
  check ((erased_at is null) = (entered_sha256 is null) and (erased_at is null or subject -> 'names' = '{}'));

-- Blanking is the only change there is. A column that is added later is held to
-- this without being named here.
-- +goose StatementBegin
create function gavel.evidence_stays() returns trigger language plpgsql as $$
declare
  may_go constant text[] := '{title,note,erased_at}';
begin
  if tg_op = 'UPDATE' and old.erased_at is null and new.erased_at is not null
     and to_jsonb(new) - may_go = to_jsonb(old) - may_go then
    return new; -- that the words are gone is a CHECK
  end if;
  raise exception 'evidence E% of case % can be erased and not changed', old.number, old.case_id
    using errcode = 'insufficient_privilege';
end $$;

create function gavel.fact_stays() returns trigger language plpgsql as $$
declare
  may_go constant text[] := '{subject,erased_at,entered_sha256}';
begin
  if old.erased_at is null and new.erased_at is not null and new.subject - 'names' = old.subject - 'names'
     and to_jsonb(new) - may_go = to_jsonb(old) - may_go then
    return new; -- that the names are gone is a CHECK
  end if;
  raise exception 'what is in fact stays as it is: a correction is a new row' using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd
create trigger evidence_stays before update or delete on gavel.evidence
  for each row execute function gavel.evidence_stays();
drop trigger stays on gavel.fact;
create trigger stays before delete or truncate on gavel.fact
  for each statement execute function gavel_sys.stays_as_it_was();
create trigger fact_stays before update on gavel.fact
  for each row execute function gavel.fact_stays();

grant update (title, note, erased_at) on gavel.evidence to gavel_app;
grant update (subject, erased_at, entered_sha256) on gavel.fact to gavel_app;
