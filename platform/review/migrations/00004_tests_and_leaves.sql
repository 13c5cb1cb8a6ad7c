-- +goose Up

-- What tests are chosen by: which proposals are joined by one must not be worked
-- out by who knows their keys. One for the installation; it never changes.
create table gavel_sys.seed_secret (
  one    boolean primary key default true check (one),
  secret text not null check (length(secret) >= 64)
);
insert into gavel_sys.seed_secret (secret) values (gen_random_uuid()::text || gen_random_uuid()::text);
grant select on gavel_sys.seed_secret to gavel_app;

-- The giver's own name for a delegation: given twice it is one.
alter table gavel.delegation add column once text not null default '' check (length(once) <= 120);
create unique index delegation_once on gavel.delegation (org, from_id, once) where once <> '';
create trigger delegation_once_stays before update on gavel.delegation for each row
  when (old.once <> new.once) execute function gavel.delegation_stays();
