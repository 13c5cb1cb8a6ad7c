-- +goose Up

-- A file that left is found again by its SHA-256, and a report by the digest of
-- the id printed in it. Both stand in the export's record and nowhere else, so
-- that an index can never say more than the log does. They are partial: an
-- export is one record in thousands, and the others pay for one comparison.
create index record_left on gavel.record
  (substring(json from '"(?:bundle|sha256)":"([0-9a-f]{64})"')) where kind = 'export';
create index record_report on gavel.record
  (substring(json from '"report":"([0-9a-f]{64})"')) where kind = 'export';
