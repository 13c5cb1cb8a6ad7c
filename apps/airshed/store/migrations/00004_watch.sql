-- +goose Up

-- What sets Airshed off by itself: the lake of an organisation is looked at four
-- times a day, unless somebody has paused that.
create table airshed.watch (
  org         text primary key references gavel_sys.organisation,
  paused      boolean not null default false,
  version     bigint not null default 0,  -- 0: nobody has changed it
  set_by      text not null default '',
  set_at      timestamptz,
  next_at     timestamptz,                -- when the lake is looked at next; none: it is paused, or the watch has not begun
  last_scan   text not null default '',   -- that the watch began last
  left_out_at timestamptz,                -- when a turn was left out, because a scan was at it
  constraint watch_form check (version >= 0 and length(set_by) <= 200 and (version = 0) = (set_at is null) and not (paused and next_at is not null)
    and last_scan ~ '^(SCAN-[0-9A-F]{8})?$')
);
select gavel_sys.keep_apart('airshed.watch');
grant select, insert on airshed.watch to gavel_app;
grant update (paused, version, set_by, set_at, next_at, last_scan, left_out_at) on airshed.watch to gavel_app;

-- A scan of bytes that another has looked at by the same rules ends at once, and says
-- which that was.
alter table airshed.scan
  add column rules   text not null default '', -- version of the rules it went by; empty before it has ended
  add column same_as text not null default '', -- the scan whose findings these are
  add constraint scan_same check (length(rules) <= 100 and same_as ~ '^(SCAN-[0-9A-F]{8})?$' and (same_as = '' or state = 'done'));
create index scan_by_data on airshed.scan (org, data, rules) where state = 'done';
create index scan_running on airshed.scan (org, began_at) where state = 'running';
grant update (rules, same_as) on airshed.scan to gavel_app;
