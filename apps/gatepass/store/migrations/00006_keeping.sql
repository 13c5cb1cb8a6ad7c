-- +goose Up

-- What is looked through for what is kept no longer.
create index pass_named on gatepass.pass (org, id) where erased_at is null;
create index talk_named on gatepass.talk (org, id) where person_name <> '';
