-- +goose Up

-- What a file of boundaries gives: districts within the program's states, or states of
-- its own in place of those.
alter table airshed.boundary add column gives text not null default 'districts'
  constraint boundary_gives check (gives in ('districts', 'states'));
