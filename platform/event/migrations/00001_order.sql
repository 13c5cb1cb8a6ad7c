-- +goose Up

-- Whoever follows an organisation's records reads them in the log's order, from
-- wherever they stopped, and never walks past the records of others.
create index record_place_order on gavel.record_place (org, seq);
