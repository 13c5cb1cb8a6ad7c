-- +goose Up

-- What the case rested on when somebody decided, as they had read it: two counts and a
-- digest. Empty where they did not say; a legal filing is decided by nobody who does not.
alter table gavel.decision add column grounds text not null default '' check (length(grounds) <= 100);
