-- +goose Up

-- What an organisation has set for an application, in versions: the last one is in force. A
-- value is what a form of its schema holds, as canonical JSON and to the byte; the application
-- declares the schema, and nothing that is not checked by it is written. Where there are
-- several of a kind each has a name, its item.
create table gavel.setting (
  org        text not null references gavel_sys.organisation,
  app        text not null,
  name       text not null,
  item       text not null default '',
  version    bigint not null,
  value      text,                     -- null: removed, or erased
  removed    boolean not null default false,
  changed_by text not null,            -- who asked for it; empty where nobody has said, before there were versions
  changed_at timestamptz,              -- null in the same case
  proposal   text not null default '', -- what people approved; empty where nobody was asked
  erased_at  timestamptz,
  primary key (org, app, name, item, version),
  constraint setting_form check (app ~ '^[a-z]{2,20}$' and name ~ '^[a-z][a-z_]{1,39}$' and length(item) <= 100 and version > 0
    and length(value) <= 65536 and (value is null) = (removed or erased_at is not null) and (value is null or jsonb_typeof(value::jsonb) = 'object')
    and length(changed_by) <= 200 and length(proposal) <= 40)
);
select gavel_sys.keep_apart('gavel.setting');

-- A history has no gap and no fork. The first version may have any number: what was set before
-- there were versions keeps the one it had.
-- +goose StatementBegin
create function gavel.setting_follows() returns trigger language plpgsql as $$
declare
  last bigint;
begin
  select max(version) into last from gavel.setting
    where org = new.org and app = new.app and name = new.name and item = new.item;
  if new.version <> last + 1 then
    raise exception 'version % of setting %/% does not follow %', new.version, new.app, new.name, last
      using errcode = 'check_violation', constraint = 'setting_follows';
  end if;
  return new;
end $$;
-- +goose StatementEnd
create trigger setting_follows before insert on gavel.setting for each row execute function gavel.setting_follows();

-- A version stays; its words may be erased.
-- +goose StatementBegin
create function gavel.setting_stays() returns trigger language plpgsql as $$
begin
  raise exception 'version % of setting %/% stays as it was set', old.version, old.app, old.name
    using errcode = 'check_violation', constraint = 'setting_stays';
end $$;
-- +goose StatementEnd
create trigger setting_stays before update on gavel.setting for each row
  when (old.erased_at is not null or new.erased_at is null or new.value is not null
    or (old.org, old.app, old.name, old.item, old.version, old.removed, old.changed_by, old.changed_at, old.proposal)
      is distinct from
       (new.org, new.app, new.name, new.item, new.version, new.removed, new.changed_by, new.changed_at, new.proposal))
  execute function gavel.setting_stays();

grant select, insert on gavel.setting to gavel_app;
grant update (value, erased_at) on gavel.setting to gavel_app;
