-- +goose Up

-- What was spent today, in a week and in a month is summed over steps by their
-- time. They are added in the order of their time and never change, so a summary
-- of blocks finds them, and costs a turn nothing that could be measured.
create index step_at on gavel.step using brin (at) with (pages_per_range = 32);
