-- +goose Up

-- When each table of a run was kept by itself, so that a number may be cited from it. Runs that are there already had that done when they
-- were brought in.
alter table reportagent.dataset add column kept_at timestamptz default now();
alter table reportagent.dataset alter column kept_at drop default;
grant update (kept_at) on reportagent.dataset to gavel_app;
