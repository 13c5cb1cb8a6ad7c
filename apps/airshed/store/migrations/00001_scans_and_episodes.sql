-- +goose Up

-- What Airshed looked at and found: scans of the data lake, and the episodes in
-- them. The bytes themselves are snapshots, under the digests that stand here.
create schema airshed;
grant usage on schema airshed to gavel_app, gavel_system;

create table airshed.scan (
  org      text not null references gavel_sys.organisation,
  id       text not null,
  kind     text not null,
  key      text not null,            -- the asker's: the same again is the same scan
  asked_by text not null,
  object   text not null default '', -- which object of the lake to read; empty: the newest
  data     text,                     -- digest of the bytes it reads, once it has them
  place    text not null default '', -- where these came from
  stale    text not null default '', -- why an older object stands in for the one asked for
  state    text not null default 'running',
  reason   text not null default '', -- why it was refused
  board    text,                     -- what all stations show, in canonical form
  found    integer not null default 0,
  fresh    integer not null default 0, -- of these, episodes that nobody had found before
  began_at timestamptz not null,
  ended_at timestamptz,
  primary key (org, id),
  constraint scan_key unique (org, key),
  constraint scan_form check (id ~ '^SCAN-[0-9A-F]{8}$' and kind in ('asked', 'scheduled', 'event', 'handed')
    and length(key) between 1 and 200 and length(object) <= 1024 and length(place) <= 2048 and length(stale) <= 500 and length(reason) <= 1000
    and data ~ '^[0-9a-f]{64}$' and state in ('running', 'done', 'refused') and (state = 'running') = (ended_at is null)
    and (state <> 'done' or board is not null) and found >= 0 and fresh >= 0 and length(board) <= 4194304)
);
create index scan_by_time on airshed.scan (org, began_at desc, id desc);

-- An episode is a surge at one station. Files that begin later, or that were corrected,
-- may put its first hour elsewhere: what overlaps at one station is one episode, under
-- the key it was first found by.
create table airshed.episode (
  org         text not null references gavel_sys.organisation,
  key         text not null,        -- station and first hour: "site_5024@2026-11-12T14:30Z"
  site_id     text not null,
  station     text not null,
  start_at    timestamptz not null,
  last_at     timestamptz not null, -- end of the last hour with the index above its threshold, as last seen
  over        boolean not null,
  as_of       timestamptz not null, -- moment of the newest object that counted; older ones change nothing
  answers     integer not null,     -- the newest of them
  first_scan  text not null,
  last_scan   text not null,
  found_at    timestamptz not null,
  seen_at     timestamptz not null,
  primary key (org, key),
  foreign key (org, first_scan) references airshed.scan (org, id),
  foreign key (org, last_scan) references airshed.scan (org, id),
  constraint episode_form check (key ~ '^[a-z0-9_-]{1,60}@[0-9T:-]{16}Z$' and length(site_id) between 1 and 60 and length(station) between 1 and 200
    and start_at < last_at and answers >= 1 and seen_at >= found_at)
);
create index episode_by_time on airshed.episode (org, start_at desc, key desc);
create index episode_by_site on airshed.episode (org, site_id, last_at);

-- What was concluded about an episode: once more whenever newer data say something
-- else. The earlier answers stay.
create table airshed.answer (
  org         text not null references gavel_sys.organisation,
  key         text not null,
  n           integer not null,
  as_of       timestamptz not null,
  peak_index  integer not null,
  verdict     text not null,
  first_state text not null,        -- of the largest share; empty where there is none
  data        text not null,        -- digest of the object that was analysed
  analysis    text not null,        -- digest of the analysis
  scan        text not null,
  at          timestamptz not null,
  primary key (org, key, n),
  foreign key (org, key) references airshed.episode (org, key),
  foreign key (org, scan) references airshed.scan (org, id),
  constraint answer_form check (n >= 1 and peak_index between 0 and 500 and verdict in ('conclusive', 'inconclusive', 'no attribution')
    and length(first_state) <= 100 and data ~ '^[0-9a-f]{64}$' and analysis ~ '^[0-9a-f]{64}$')
);

-- +goose StatementBegin
do $$
declare t text;
begin
  foreach t in array array['scan', 'episode', 'answer'] loop
    perform gavel_sys.keep_apart(('airshed.' || t)::regclass);
    execute format('grant select, insert on airshed.%I to gavel_app', t);
  end loop;
end $$;
-- +goose StatementEnd

-- What was found and concluded stays: of an episode only how long it went on, and
-- which answer is the newest, is told anew.
grant update (data, place, stale, state, reason, board, found, fresh, ended_at) on airshed.scan to gavel_app;
grant update (last_at, over, as_of, answers, last_scan, seen_at) on airshed.episode to gavel_app;

grant select on all tables in schema airshed to gavel_system;
alter default privileges in schema airshed grant select on tables to gavel_system; -- later migrations' too
