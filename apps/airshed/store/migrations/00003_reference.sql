-- +goose Up

-- Public reference data: it is nobody's, everybody reads it, and nobody changes or
-- deletes a row of it. A correction is a later row.

-- What satellites saw, each detection once however often it was fetched. Places are
-- in hundred-thousandths of a degree, as fine as they are published.
create table ref.fire (
  acquired   timestamptz not null,
  satellite  text collate "C" not null,
  lat        integer not null,
  lon        integer not null,
  version    text collate "C" not null, -- of the processing: a standard row stands beside the preliminary one
  frp        real not null,         -- MW of the pixel, as it was received
  confidence text not null,         -- low, nominal, high
  daynight   text not null,         -- day, night; empty: not said
  source     bytea not null,        -- digest of the file that had it first
  primary key (acquired, satellite, lat, lon, version),
  constraint fire_form check (length(satellite) between 1 and 100 and lat between -9000000 and 9000000 and lon between -18000000 and 18000000
    and length(version) <= 20 and frp >= 0 and confidence in ('low', 'nominal', 'high') and daynight in ('day', 'night', '') and octet_length(source) = 32)
);

create table ref.station (
  site_id     text not null,
  valid_from  date not null,        -- from when on it is as this row says
  name        text not null,
  agency      text not null,
  lat         double precision not null,
  lon         double precision not null,
  kind        text not null,        -- border, interior, other
  source      text not null,        -- digest of the file; the program's own list has one too
  recorded_at timestamptz not null,
  primary key (site_id, valid_from),
  constraint station_form check (site_id ~ '^[a-z0-9_-]{1,60}$' and length(name) between 1 and 200 and length(agency) between 1 and 100
    and lat between -90 and 90 and lon between -180 and 180 and kind in ('border', 'interior', 'other') and source ~ '^[0-9a-f]{64}$')
);

create table ref.citation (
  id          text not null,        -- "caqm-direction-95"
  verified_on date not null,        -- when its source was last looked at; a later look is a later row
  number      text not null,
  date        text not null,        -- a day, or a month where only that is known
  title       text not null,
  subjects    text[] not null,
  addressees  text[] not null,
  says        text not null,
  origin      text not null,        -- where it was read
  certainty   text not null,
  source      text not null,        -- digest of the book
  recorded_at timestamptz not null,
  primary key (id, verified_on),
  constraint citation_form check (length(id) between 1 and 200 and length(number) <= 1000 and date ~ '^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$' and length(title) between 1 and 1000
    and cardinality(subjects) between 1 and 50 and cardinality(addressees) between 1 and 50 and length(says) between 1 and 1000 and length(origin) between 1 and 1000
    and certainty in ('text', 'reported', 'one_report') and source ~ '^[0-9a-f]{64}$')
);

grant select, insert on ref.fire, ref.station, ref.citation to gavel_app;
grant select on ref.fire, ref.station, ref.citation to gavel_system;

-- One round of asking the services outside, up to the object it wrote to the lake.
create table airshed.ingest (
  org      text not null references gavel_sys.organisation,
  id       text not null,
  key      text not null,            -- the asker's: the same again is the same ingest
  asked_by text not null,
  state    text not null default 'running',
  reason   text not null default '', -- why it was refused
  object   text not null default '', -- what it wrote
  data     text,                     -- digest of that
  scan     text,                     -- which looks at it
  began_at timestamptz not null,
  ended_at timestamptz,
  primary key (org, id),
  constraint ingest_key unique (org, key),
  foreign key (org, scan) references airshed.scan (org, id),
  constraint ingest_form check (id ~ '^ING-[0-9A-F]{8}$' and length(key) between 1 and 200 and length(object) <= 1024 and length(reason) <= 1000
    and data ~ '^[0-9a-f]{64}$' and state in ('running', 'done', 'refused') and (state = 'running') = (ended_at is null)
    and (state = 'done') = (data is not null))
);
create index ingest_by_time on airshed.ingest (org, began_at desc, id desc);

-- An answer of a service, by what it was asked: after a crash nobody is asked twice,
-- and the object is made of what stands here.
create table airshed.ingest_answer (
  org          text not null references gavel_sys.organisation,
  ingest       text not null,
  source       text not null,
  asked        text not null,        -- digest of the address, which shows no key
  data         text not null,        -- digest of the bytes, a snapshot
  url          text not null,
  content_type text not null,
  fetched_at   timestamptz not null,
  primary key (org, ingest, source, asked),
  foreign key (org, ingest) references airshed.ingest (org, id),
  constraint ingest_answer_form check (asked ~ '^[0-9a-f]{64}$' and data ~ '^[0-9a-f]{64}$' and length(url) <= 16384 and length(content_type) <= 200)
);

-- What became of asking one source.
create table airshed.ingest_source (
  org     text not null references gavel_sys.organisation,
  ingest  text not null,
  source  text not null,
  had     boolean not null,
  answers integer not null,
  bytes   bigint not null,
  as_of   timestamptz,               -- the newest of what came
  note    text not null,             -- why it is missing, or what is odd about it
  costs   text not null,             -- what is lost without it; empty where it came
  at      timestamptz not null,
  primary key (org, ingest, source),
  foreign key (org, ingest) references airshed.ingest (org, id),
  constraint ingest_source_form check (length(source) between 1 and 40 and answers >= 0 and bytes >= 0 and length(note) <= 1500 and length(costs) <= 1000 and had = (costs = ''))
);

-- Boundaries of districts that an organisation imported; the file is a snapshot.
create table airshed.boundary (
  org         text not null references gavel_sys.organisation,
  id          text not null,
  data        text not null,
  name        text not null,
  licence     text not null,
  as_of       date not null,         -- the day whose districts it shows
  district    text not null,         -- the property with a district's name
  state       text not null,         -- the property with its state's
  districts   integer not null,
  imported_by text not null,
  imported_at timestamptz not null,
  primary key (org, id),
  constraint boundary_form check (id ~ '^BND-[0-9A-F]{8}$' and data ~ '^[0-9a-f]{64}$' and length(name) between 1 and 100 and length(licence) between 1 and 500
    and length(district) between 1 and 100 and length(state) between 1 and 100 and districts > 0)
);
create index boundary_by_time on airshed.boundary (org, imported_at desc, id desc);

-- The stubble share as a person read it off the forecast's page; what they looked at
-- is a snapshot. A correction is a later entry for the same day.
create table airshed.share (
  org         text not null references gavel_sys.organisation,
  id          text not null,
  percent     double precision not null,
  issued_at   timestamptz not null,
  valid_date  date not null,
  source_url  text not null,
  capture     text not null,
  warnings    text[] not null,
  entered_by  text not null,
  entered_at  timestamptz not null,
  primary key (org, id),
  constraint share_form check (id ~ '^DSS-[0-9A-F]{8}$' and percent between 0 and 100 and length(source_url) between 1 and 1000 and capture ~ '^[0-9a-f]{64}$'
    and cardinality(warnings) <= 10)
);
create index share_by_day on airshed.share (org, valid_date desc, entered_at desc);
create index share_by_time on airshed.share (org, entered_at desc, id desc);

-- +goose StatementBegin
do $$
declare t text;
begin
  foreach t in array array['ingest', 'ingest_answer', 'ingest_source', 'boundary', 'share'] loop
    perform gavel_sys.keep_apart(('airshed.' || t)::regclass);
    execute format('grant select, insert on airshed.%I to gavel_app', t);
  end loop;
end $$;
-- +goose StatementEnd

grant update (state, reason, object, data, scan, ended_at) on airshed.ingest to gavel_app;
