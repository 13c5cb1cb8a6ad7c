-- +goose Up

-- What goes beyond our walls is listed by itself, newest first.
create index act_outside on gavel.act (org, planned_at desc, key desc) where effect = 'outside';
