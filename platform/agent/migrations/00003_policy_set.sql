-- +goose Up

-- The text of a set of policies, by the digest that answers carry: whoever asks
-- later why a call was let through can read what was asked. It holds no
-- organisation's data.
create table gavel_sys.policy_set (
  sha256   text not null primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  files    bytea not null check (length(files) <= 33554432), -- canonical JSON: name and text of each, in order of name
  first_at timestamptz not null
);
grant select, insert on gavel_sys.policy_set to gavel_app;
grant select on gavel_sys.policy_set to gavel_system;
