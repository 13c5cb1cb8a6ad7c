-- +goose Up

-- Which messages a conversation has taken, by the names that their senders gave them, the one that it began with first: what is sent
-- again after its server died is not said again. A name says nothing of anybody.
alter table gatepass.talk add column heard jsonb not null default '[]',
  add constraint talk_heard check (jsonb_typeof(heard) = 'array' and pg_column_size(heard) <= 8192);
grant update (heard) on gatepass.talk to gavel_app;
