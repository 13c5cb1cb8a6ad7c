-- +goose Up

-- Who had a section drafted has a part in its words, as who wrote them has: neither signs it. Empty: a person's own words.
alter table reportagent.version add column asked_by text not null default '' constraint version_asker check (length(asked_by) <= 200);
