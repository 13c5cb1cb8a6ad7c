-- +goose Up

-- An application's own code asks people, too, in Gavel's name.
alter table gavel.call drop constraint call_form, add constraint call_form check (
    id ~ '^call_[0-9A-HJKMNP-TV-Z]{26}$'
    and app ~ '^[a-z]{2,20}$' and tool ~ '^[a-z][a-z0-9_]{0,63}$' and args_sha256 ~ '^[0-9a-f]{64}$'
    and by_kind in ('person', 'machine', 'system') and length(by_id) between 1 and 200
    and cardinality(roles) <= 20 and cardinality(scopes) <= 50
    and via ~ '^[a-z]{2,20}$' and length(record) between 1 and 60);
