-- +goose Up

-- Organisations take turns: a dispatcher looks at what each of them has waiting, and at
-- nobody's thousand before it gets to another's one.
create index outbox_in_turn on gavel.outbox (lane, org, due_at, id) where not dead;
drop index gavel.outbox_due;
