-- +goose Up

-- What was heard of districts, and the sums from which their scores follow. Nothing here names a
-- person: what a report says of one is stopped at the door, and only its kind is counted.
create schema netra;
grant usage on schema netra to gavel_app, gavel_system;

-- Districts by the code of the local government directory, each for as long as it is one. Tags say why
-- its signals weigh more; somebody has signed for them, or there are none.
create table netra.district (
  org         text not null references gavel_sys.organisation,
  lgd         integer not null,
  name        text not null,
  state       text not null,
  valid_from  date not null,
  valid_to    date,                         -- the first day on which it no longer is
  tags        text[] not null default '{}',
  reviewed_by text not null default '',
  reviewed_on date,
  changed_by  text not null,
  changed_at  timestamptz not null,
  primary key (org, lgd, valid_from),
  constraint district_form check (lgd between 1 and 999999 and length(name) between 1 and 100 and length(state) between 1 and 100
    and (valid_to is null or valid_to > valid_from) and length(reviewed_by) <= 100
    and (cardinality(tags) = 0 or (reviewed_by <> '' and reviewed_on is not null)))
);

-- One bringing of signals. It may come in many parts, each of which is there whole or not at all.
create table netra.ingest (
  org         text not null references gavel_sys.organisation,
  id          text not null,
  name        text not null,                -- of the file or the feed, as who brought it calls it
  feed        text not null,
  asked_by    text not null,
  parts       integer not null default 0,
  lines       bigint not null default 0,
  taken       bigint not null default 0,    -- became signals
  known       bigint not null default 0,    -- were there already
  refused     bigint not null default 0,    -- say nothing that can be weighed
  quarantined bigint not null default 0,    -- held personal data
  reasons     jsonb not null default '{}',  -- of refusals, by how often
  began_at    timestamptz not null,
  last_at     timestamptz not null,
  primary key (org, id),
  constraint ingest_form check (id ~ '^NIN-[0-9A-F]{8}$' and length(name) <= 200 and length(feed) between 1 and 40
    and lines = taken + known + refused + quarantined)
);
create index ingest_by_time on netra.ingest (org, began_at desc, id desc);

-- What was stopped at the door: where in its file, and what kinds of personal data were found how often.
-- Neither the text nor what was found is kept.
create table netra.quarantine (
  org    text not null references gavel_sys.organisation,
  ingest text not null,
  part   bigint not null,
  line   integer not null,
  kinds  jsonb not null,
  rules  text not null,                     -- by which it was looked at
  at     timestamptz not null,
  primary key (org, ingest, part, line),
  foreign key (org, ingest) references netra.ingest (org, id) on delete cascade
);
create index quarantine_by_time on netra.quarantine (org, at desc);
create sequence netra.part;
grant usage on sequence netra.part to gavel_app;

-- Signals, in a part of the table for each day (UTC), so that what was kept its time goes at once. The same event at
-- the same time is there once. There is no foreign key: the wall says whose rows these are, and a
-- look at the organisation for each of ten thousand a second would say no more.
create table netra.signal (
  org         text not null,
  event_id    text not null,
  ts          timestamptz not null,
  lgd         integer not null,
  severity    smallint not null,
  class       smallint not null,            -- its way, and whether the police made it
  layers      smallint not null,            -- a bit for each
  geo         double precision not null,
  basis       smallint not null,            -- where severity, way, layers and geo come from
  ref         bigint not null,              -- of the event's id, by which sums name it
  part        bigint not null,              -- that brought it
  source      text not null,
  source_type text not null,
  event_type  text not null,
  summary     text not null,
  primary key (org, event_id, ts),
  constraint signal_form check (severity between 1 and 5 and class between 0 and 5 and layers between 1 and 7)
) partition by range (ts);
create index signal_by_district on netra.signal (org, lgd, ts); -- the ends of one district's window
create index signal_by_time on netra.signal (org, ts);          -- the ends of all districts' at once

-- It stays empty: a day is opened before its first signal comes.
create table netra.signal_rest partition of netra.signal default;

-- Sums of a day, and of its 24 hours: per district and layer (0: each signal once). What they hold is
-- written by rule/bucket; the sums are whole numbers, so that their order makes no difference.
create table netra.day (
  org   text not null references gavel_sys.organisation,
  day   date not null,
  lgd   integer not null,
  layer smallint not null,
  sums  bytea not null,
  hours bytea not null,
  tops  bytea not null,
  primary key (org, day, lgd, layer),
  constraint day_form check (layer between 0 and 3)
) with (fillfactor = 70);

-- Sums of the 60 minutes of an hour, for the ends of windows.
create table netra.hour (
  org     text not null references gavel_sys.organisation,
  hour    timestamptz not null,
  lgd     integer not null,
  layer   smallint not null,
  minutes bytea not null,
  tops    bytea not null,
  primary key (org, hour, lgd, layer),
  constraint hour_form check (layer between 0 and 3)
) with (fillfactor = 70);
alter table netra.day alter column sums set storage external, alter column hours set storage external, alter column tops set storage external;
alter table netra.hour alter column minutes set storage external, alter column tops set storage external;

-- Scores as they were given out, which are never changed: what they were worth is judged by these.
create table netra.score (
  org          text not null references gavel_sys.organisation,
  lgd          integer not null,
  window_hours integer not null,
  as_of        timestamptz not null,
  profile_hash text not null,
  profile      text not null,
  status       text not null,
  score        double precision,
  band         text not null,
  result       jsonb not null,
  frozen_at    timestamptz not null,
  frozen_by    text not null,
  primary key (org, as_of, lgd, window_hours, profile_hash, frozen_at),
  constraint score_form check (status in ('scored', 'no_signals', 'only_enforcement') and (status = 'scored') = (score is not null)
    and score between 0 and 100 and window_hours between 1 and 744)
);
create index score_by_time on netra.score (org, frozen_at desc, as_of desc, lgd desc, window_hours desc);
create index score_by_district on netra.score (org, lgd, frozen_at desc);

-- +goose StatementBegin
do $$
declare t text;
begin
  foreach t in array array['district', 'ingest', 'quarantine', 'signal', 'signal_rest', 'day', 'hour', 'score'] loop
    perform gavel_sys.keep_apart(('netra.' || t)::regclass);
    execute format('grant select, insert on netra.%I to gavel_app', t);
  end loop;
  -- Signals come by COPY, which takes no table behind the wall: they wait in one of the connection's own.
  execute format('grant temporary on database %I to gavel_app', current_database());
end $$;
-- +goose StatementEnd
grant update (name, state, valid_to, tags, reviewed_by, reviewed_on, changed_by, changed_at) on netra.district to gavel_app;
grant update (parts, lines, taken, known, refused, quarantined, reasons, last_at) on netra.ingest to gavel_app;
grant update (sums, hours, tops) on netra.day to gavel_app;
grant update (minutes, tops) on netra.hour to gavel_app;
grant select on all tables in schema netra to gavel_system;
grant delete on netra.day, netra.hour, netra.quarantine, netra.ingest to gavel_system;
alter default privileges in schema netra grant select on tables to gavel_system;

-- open_days makes the parts of the table of signals from one day to another. Requests may not make tables; this
-- they may, and nothing else with it.
-- +goose StatementBegin
create function netra.open_days(first date, last date) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare d date; t text; n integer := 0;
begin
  if last - first > 500 then
    raise exception 'too many days at once: % to %', first, last;
  end if;
  perform pg_advisory_xact_lock(7426125);
  for d in select generate_series(first, last, interval '1 day')::date loop
    t := 'signal_' || to_char(d, 'YYYYMMDD');
    continue when to_regclass('netra.' || t) is not null;
    execute format('create table netra.%I partition of netra.signal for values from (%L) to (%L)', t, d::timestamptz, (d + 1)::timestamptz);
    perform gavel_sys.keep_apart(('netra.' || t)::regclass);
    execute format('grant select, insert on netra.%I to gavel_app', t);
    n := n + 1;
  end loop;
  return n;
end $$;

-- close_days drops the parts that end by a day, and says about how many signals went with them.
create function netra.close_days(before date) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare t record; n bigint := 0;
begin
  perform pg_advisory_xact_lock(7426125);
  for t in select c.relname, greatest(c.reltuples, 0)::bigint as rows from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'netra.signal'::regclass and c.relname ~ '^signal_[0-9]{8}$'
        and to_date(right(c.relname, 8), 'YYYYMMDD') < before loop
    execute format('drop table netra.%I', t.relname);
    n := n + t.rows;
  end loop;
  return n;
end $$;
-- +goose StatementEnd
revoke all on function netra.open_days(date, date), netra.close_days(date) from public;
grant execute on function netra.open_days(date, date) to gavel_app;
grant execute on function netra.close_days(date) to gavel_system;
