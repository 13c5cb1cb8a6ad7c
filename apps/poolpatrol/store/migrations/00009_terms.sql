-- +goose Up

-- By which version of the programme's thresholds and terms a pass judges and a case goes: 0
-- is what held before anybody set them. A case keeps the one that it began with.
alter table poolpatrol.pass add column terms_version bigint not null default 0 check (terms_version >= 0);
alter table poolpatrol.case add column terms_version bigint not null default 0 check (terms_version >= 0);
