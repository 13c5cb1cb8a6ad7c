-- +goose Up

-- What bytes are like: their kind, and of a table a digest of its head. Where it
-- differs from that of the fetch before, somebody at the source has changed
-- something, and a person may want to know. Empty for what was received before
-- this.
alter table gavel.snapshot add column shape text not null default '' check (length(shape) <= 200);
