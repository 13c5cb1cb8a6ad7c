-- +goose Up

-- What a person says to an agent is theirs. This is one look of somebody else at
-- it: who was shown which step, and the reason they gave. The reason's digest is
-- on the log, salted; an erasure takes reason and salt.
create table gavel.run_disclosure (
  org        text not null,
  run_id     text not null,
  n          bigint generated always as identity,
  seq        int not null,
  at         timestamptz not null,
  actor_id   text not null,
  actor_name text not null,
  reason     text not null,
  salt       bytea,
  record_id  text not null,
  erased_at  timestamptz,
  primary key (org, run_id, n),
  foreign key (org, run_id) references gavel.run (org, id),
  constraint run_disclosure_form check (seq >= 0 and length(actor_id) between 1 and 200 and length(actor_name) <= 200
    and length(reason) <= 500 and length(salt) = 16 and length(record_id) between 1 and 40
    and (salt is null) = (erased_at is not null) and (erased_at is null or reason = '' and actor_name = ''))
);
select gavel_sys.keep_apart('gavel.run_disclosure');

-- Blanking is the only change there is.
-- +goose StatementBegin
create function gavel.run_disclosure_stays() returns trigger language plpgsql as $$
declare
  may_go constant text[] := '{reason,salt,actor_name,erased_at}';
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - may_go = to_jsonb(old) - may_go
     and old.erased_at is null and new.erased_at is not null then
    return new;
  end if;
  raise exception 'disclosure % of run % can be erased and not changed', old.n, old.run_id using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd
create trigger run_disclosure_stays before update or delete on gavel.run_disclosure
  for each row execute function gavel.run_disclosure_stays();

grant select, insert on gavel.run_disclosure to gavel_app;
grant update (reason, salt, actor_name, erased_at) on gavel.run_disclosure to gavel_app;
grant select on gavel.run_disclosure to gavel_system;
