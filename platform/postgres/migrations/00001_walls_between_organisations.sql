-- +goose Up

-- gavel: the platform's own records. ref: public reference data, no
-- organisation. gavel_sys: what belongs to the installation.
create schema gavel;
create schema ref;

grant usage on schema gavel, ref, gavel_sys to gavel_app, gavel_system;

-- keep_apart puts a table behind the wall: a row is seen and written only by a
-- transaction that acts for its organisation. Forced, so that the owner of the
-- table is held to it too. Every table outside ref and gavel_sys calls it once.
-- +goose StatementBegin
create function gavel_sys.keep_apart(t regclass) returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', t);
  execute format('alter table %s force row level security', t);
  execute format(
    'create policy own_organisation on %s
       using (org = current_setting(''gavel.org'', true))
       with check (org = current_setting(''gavel.org'', true))', t);
end $$;
-- +goose StatementEnd
revoke all on function gavel_sys.keep_apart(regclass) from public;

create table gavel_sys.organisation (
  org        text primary key check (org ~ '^[a-z][a-z0-9-]{1,39}$'),
  title      text not null check (length(title) between 1 and 200),
  zone       text not null default 'Asia/Kolkata',
  languages  text[] not null default '{en,hi}' check (cardinality(languages) between 1 and 10),
  created_at timestamptz not null default now()
);
grant select on gavel_sys.organisation to gavel_app;
grant select, insert, update on gavel_sys.organisation to gavel_system;
