-- +goose Up

-- A row is here for as long as it must still reach the engine. Delivery deletes
-- it; what happened is in the records, not here.
create table gavel.outbox (
  id         bigint generated always as identity primary key,
  org        text not null references gavel_sys.organisation,
  lane       text not null check (lane in ('decision', 'start')),
  kind       text not null check (kind in ('start', 'signal')),
  target     text not null check (length(target) between 1 and 300),
  payload    jsonb not null check (pg_column_size(payload) <= 16384),
  created_at timestamptz not null default now(),
  due_at     timestamptz not null default now(),
  attempts   int not null default 0,
  last_error text,
  dead       boolean not null default false,
  -- A workflow's id is <app>/<org>/<key>: no organisation reaches another's.
  check (split_part(target, '/', 2) = org)
);
select gavel_sys.keep_apart('gavel.outbox');
create index outbox_due on gavel.outbox (lane, due_at, id) where not dead;
create index outbox_target on gavel.outbox (target);

grant insert, select on gavel.outbox to gavel_app;
grant select, update, delete on gavel.outbox to gavel_system;
