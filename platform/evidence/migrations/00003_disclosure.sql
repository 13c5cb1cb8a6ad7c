-- +goose Up

-- A disclosure is one look at sealed evidence: who was shown it, and the reason
-- they gave. what is the piece or the fact by which they opened it. The reason's
-- digest is on the log, salted; an erasure takes reason and salt.
create table gavel.disclosure (
  org       text not null,
  case_id   text not null,
  n         bigint generated always as identity,
  what      text not null check (length(what) between 2 and 20),
  sha256    text not null,
  at        timestamptz not null,
  actor_id  text not null check (length(actor_id) between 1 and 200),
  actor_name text not null check (length(actor_name) <= 200),
  reason    text not null check (length(reason) <= 500),
  salt      bytea check (length(salt) = 16),
  record_id text not null check (length(record_id) between 1 and 40),
  erased_at timestamptz,
  primary key (org, case_id, n),
  foreign key (org, case_id) references gavel.case (org, id),
  foreign key (org, sha256) references gavel.snapshot (org, sha256),
  constraint disclosure_erased check ((salt is null) = (erased_at is not null) and (erased_at is null or reason = '' and actor_name = ''))
);
select gavel_sys.keep_apart('gavel.disclosure');

-- Blanking is the only change there is.
-- +goose StatementBegin
create function gavel.disclosure_stays() returns trigger language plpgsql as $$
declare
  may_go constant text[] := '{reason,salt,actor_name,erased_at}';
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - may_go = to_jsonb(old) - may_go
     and old.erased_at is null and new.erased_at is not null then
    return new;
  end if;
  raise exception 'disclosure % of case % can be erased and not changed', old.n, old.case_id using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd
create trigger disclosure_stays before update or delete on gavel.disclosure
  for each row execute function gavel.disclosure_stays();

grant select, insert on gavel.disclosure to gavel_app;
grant update (reason, salt, actor_name, erased_at) on gavel.disclosure to gavel_app;
grant select on gavel.disclosure to gavel_system;
