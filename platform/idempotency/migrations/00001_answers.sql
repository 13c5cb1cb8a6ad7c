-- +goose Up

-- A row is one request that must not be done twice, claimed before it is run.
-- The answer is kept so that a repeat gets the same one; it may name people, and
-- goes when anybody is erased. What was done is in the records, not here.
create table gavel.idempotency (
  org         text not null,
  actor       text not null,
  route       text not null,
  key         text not null,
  print       bytea not null,       -- SHA-256 of address and body: the same key for anything else is a mistake
  fence       bigint not null default 1,
  state       text not null default 'running',
  lease_until timestamptz not null, -- a claim older than this may be taken over
  status      int,
  headers     text,                 -- JSON
  body        bytea,
  at          timestamptz not null default now(),
  primary key (org, actor, route, key),
  constraint idempotency_form check (
    length(actor) between 1 and 200 and length(route) between 1 and 200 and length(key) between 1 and 120
    and length(print) = 32 and fence > 0 and length(headers) <= 8192 and length(body) <= 1048576
    and state in ('running', 'done') and (state = 'done') = (status is not null)
    and (status is null or status between 200 and 299))
);
select gavel_sys.keep_apart('gavel.idempotency');
create index idempotency_at on gavel.idempotency (at);

grant select, insert, update, delete on gavel.idempotency to gavel_app;
grant select, delete on gavel.idempotency to gavel_system;
