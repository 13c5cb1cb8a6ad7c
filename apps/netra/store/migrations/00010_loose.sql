-- +goose Up

-- The signals of a day's hours that have no sums of their minutes, because so little was heard in them, stand in the day's row of each
-- signal once: 15 bytes each, without a name. A window that ends in such an hour is read from there; a row of the table for each took as
-- long as all the sums together. Whether they are all there is known by the sums of the hour, so that days of before, and those that the
-- program of before adds to while both run, are read from the table.
alter table netra.day add column loose bytea not null default '';
alter table netra.day alter column loose set storage external;
grant update (loose) on netra.day to gavel_app;
