-- +goose Up

-- What the programme knows: workplaces, shifts, people, vans and who rides where.
-- People work with these tables, so personal columns stand here in plain, behind
-- the wall between organisations; erasing somebody blanks their row.
create schema poolpatrol;
grant usage on schema poolpatrol to gavel_app, gavel_system;

create table poolpatrol.site (
  org  text not null references gavel_sys.organisation,
  id   text not null,
  name text not null,
  zone text not null,               -- IANA name: shifts are told in it
  lat  double precision,
  lng  double precision,
  primary key (org, id),
  constraint site_form check (id ~ '^[A-Z][A-Z0-9_-]{0,39}$' and length(name) <= 200 and length(zone) between 1 and 64
    and (lat is null) = (lng is null) and lat between -90 and 90 and lng between -180 and 180)
);

create table poolpatrol.shift (
  org      text not null references gavel_sys.organisation,
  id       text not null,
  name     text not null,
  schedule jsonb not null,          -- [{day, start_time, end_time, …}], as it was handed over
  primary key (org, id),
  constraint shift_form check (id ~ '^SHIFT_[A-Z0-9_]{1,40}$' and length(name) <= 200
    and jsonb_typeof(schedule) = 'array' and pg_column_size(schedule) <= 16384)
);

create table poolpatrol.employee (
  org              text not null references gavel_sys.organisation,
  id               text not null,
  status           text not null,
  time_type        text not null default '',
  site_id          text,
  manager_id       text,            -- may be somebody who is not (yet) on record
  -- Personal: shown to those who work a case, and in letters to themselves.
  name             text not null default '',
  email            text not null default '',
  language         text not null default 'en',
  home_address     text not null default '',
  home_zip         text not null default '',
  home_lat         double precision,
  home_lng         double precision,
  zip_only         boolean not null default false,
  zip_radius_miles double precision not null default 0,
  changed_at       timestamptz not null,
  erased_at        timestamptz,
  primary key (org, id),
  foreign key (org, site_id) references poolpatrol.site (org, id),
  constraint employee_form check (id ~ '^EMP-[0-9]{4,12}$' and status in ('active', 'inactive', 'on_leave')
    and time_type in ('', 'full_time', 'part_time', 'contract') and (manager_id is null or manager_id ~ '^EMP-[0-9]{4,12}$')
    and length(name) <= 200 and length(email) <= 254 and language ~ '^[a-z]{2,3}$' and length(home_address) <= 400 and length(home_zip) <= 20
    and (home_lat is null) = (home_lng is null) and home_lat between -90 and 90 and home_lng between -180 and 180
    and zip_radius_miles between 0 and 500),
  constraint employee_erased check (erased_at is null
    or (name, email, home_address, home_zip) = ('', '', '', '') and home_lat is null)
);
create index employee_by_email on poolpatrol.employee (org, lower(email)) where email <> '';
create index employee_by_manager on poolpatrol.employee (org, manager_id) where manager_id is not null;

-- A shift from one day to another, both included. Where two cover a day, the one
-- that began later holds.
create table poolpatrol.assignment (
  org         text not null references gavel_sys.organisation,
  employee_id text not null,
  shift_id    text not null,
  from_day    date not null,
  until_day   date,
  primary key (org, employee_id, from_day, shift_id),
  foreign key (org, employee_id) references poolpatrol.employee (org, id) on delete cascade,
  constraint assignment_form check (shift_id ~ '^SHIFT_[A-Z0-9_]{1,40}$' and (until_day is null or until_day >= from_day))
);

-- Leave and days off.
create table poolpatrol.away (
  org         text not null references gavel_sys.organisation,
  employee_id text not null,
  from_day    date not null,
  until_day   date,
  primary key (org, employee_id, from_day),
  foreign key (org, employee_id) references poolpatrol.employee (org, id) on delete cascade,
  constraint away_form check (until_day is null or until_day >= from_day)
);

create table poolpatrol.vanpool (
  org            text not null references gavel_sys.organisation,
  id             text not null,
  site_id        text not null,
  pickup_lat     double precision,
  pickup_lng     double precision,
  capacity       int not null default 0,        -- seats with the driver's; 0 is unknown
  coordinator_id text,
  schedule       jsonb not null default '[]',   -- as a shift's; empty where it has none
  status         text not null,
  changed_at     timestamptz not null,
  primary key (org, id),
  foreign key (org, site_id) references poolpatrol.site (org, id),
  constraint vanpool_form check (id ~ '^VP-[0-9]{3,12}$' and status in ('active', 'inactive', 'suspended') and capacity between 0 and 100
    and (coordinator_id is null or coordinator_id ~ '^EMP-[0-9]{4,12}$')
    and (pickup_lat is null) = (pickup_lng is null) and pickup_lat between -90 and 90 and pickup_lng between -180 and 180
    and jsonb_typeof(schedule) = 'array' and pg_column_size(schedule) <= 16384)
);

-- A seat. Somebody who left keeps their row: when, and by which case.
create table poolpatrol.rider (
  org             text not null references gavel_sys.organisation,
  vanpool_id      text not null,
  employee_id     text not null,                -- may be nobody on record: the audit of that van says so
  participant_id  text not null default '',     -- the other system's own
  since           date,
  removed_on      date,
  removed_case_id text,
  primary key (org, vanpool_id, employee_id),
  foreign key (org, vanpool_id) references poolpatrol.vanpool (org, id),
  foreign key (org, removed_case_id) references gavel.case (org, id),
  constraint rider_form check (employee_id ~ '^EMP-[0-9]{4,12}$' and length(participant_id) <= 100
    and (removed_case_id is null or removed_on is not null))
);
create index rider_by_employee on poolpatrol.rider (org, employee_id);

-- A person's word that a check does not count for somebody, or for a van.
create table poolpatrol.exception (
  org        text not null references gavel_sys.organisation,
  id         text not null,
  subject    text not null,
  check_name text not null,
  until_day  date not null,
  reason     text not null,
  granted_by text not null,
  granted_at timestamptz not null,
  case_id    text,
  ended_at   timestamptz,                       -- taken back before its time
  ended_by   text,
  primary key (org, id),
  foreign key (org, case_id) references gavel.case (org, id),
  constraint exception_form check (id ~ '^EXC-[0-9A-F]{8}$' and subject ~ '^(EMP|VP)-[0-9]{3,12}$' and check_name ~ '^[a-z][a-z_]{1,39}$'
    and length(reason) between 1 and 2000 and length(granted_by) between 1 and 200 and (ended_at is null) = (ended_by is null))
);
create index exception_by_subject on poolpatrol.exception (org, subject);

-- Feeds other systems hand over as tables: who was read at which door, and who
-- may park.
create table poolpatrol.badge_day (
  org         text not null references gavel_sys.organisation,
  employee_id text not null,
  site_id     text not null,
  on_day      date not null,
  primary key (org, employee_id, site_id, on_day)
);
create table poolpatrol.permit (
  org         text not null references gavel_sys.organisation,
  id          text not null,
  employee_id text not null,
  kind        text not null,
  from_day    date not null,
  until_day   date,
  primary key (org, id),
  constraint permit_form check (length(id) between 1 and 60 and kind in ('daily', 'monthly', 'annual', 'accessible')
    and (until_day is null or until_day >= from_day))
);
create index permit_by_employee on poolpatrol.permit (org, employee_id);

-- When each kind of record was last handed over whole, or said to be current.
-- Nobody is judged on older ones.
create table poolpatrol.sync (
  org     text not null references gavel_sys.organisation,
  kind    text not null,
  at      timestamptz not null,
  way     text not null,                        -- csv, scim, api
  by      text not null,
  sha256  text not null default '',             -- of the file, where there was one
  rows    int not null default 0,
  primary key (org, kind),
  constraint sync_form check (kind in ('sites', 'shifts', 'employees', 'vanpools', 'badges', 'permits') and way in ('csv', 'scim', 'api')
    and length(by) between 1 and 200 and (sha256 = '' or sha256 ~ '^[0-9a-f]{64}$'))
);

-- What an audit read, whole: the records as JSON, gzipped, in parts. The digest is
-- of the records before anybody was erased from them; erasing somebody takes them
-- out of the parts and is noted.
create table poolpatrol.snapshot (
  org       text not null references gavel_sys.organisation,
  id        text not null,                      -- SNAP- and eight hexadecimal digits
  taken_at  timestamptz not null,
  records_at timestamptz not null,              -- how old the oldest kind of record was then
  sha256    text not null,
  vanpools  int not null,
  riders    int not null,
  parts     int not null,
  erased_at timestamptz,
  primary key (org, id),
  constraint snapshot_form check (id ~ '^SNAP-[0-9A-F]{8}$' and sha256 ~ '^[0-9a-f]{64}$' and vanpools >= 0 and riders >= 0 and parts between 0 and 100000)
);
create index snapshot_by_time on poolpatrol.snapshot (org, taken_at);
create table poolpatrol.snapshot_part (
  org      text not null references gavel_sys.organisation,
  snapshot text not null,
  n        int not null,
  first_employee text,                          -- the people a part holds, in order of id, so that one is found
  last_employee  text,
  body     bytea not null,
  primary key (org, snapshot, n),
  foreign key (org, snapshot) references poolpatrol.snapshot (org, id) on delete cascade,
  constraint snapshot_part_form check (n >= 0 and length(body) <= 16777216)
);

-- One look at every van, or at some.
create table poolpatrol.pass (
  org        text not null references gavel_sys.organisation,
  id         text not null,                     -- PASS- and eight hexadecimal digits
  kind       text not null,                     -- monthly: all vans; daily: those with an open case; asked: a person did; re_audit: one van, for its case
  key        text not null,                     -- the same key twice is one pass
  asked_by   text not null,
  snapshot   text,
  policy     text not null,
  state      text not null default 'running',
  reason     text not null default '',
  after_van  text not null default '',          -- how far it has come, in order of van
  planned    int not null default 0,
  verified   int not null default 0,
  failed     int not null default 0,
  errored    int not null default 0,
  began_at   timestamptz not null,
  ended_at   timestamptz,
  primary key (org, id),
  constraint pass_once unique (org, key),
  foreign key (org, snapshot) references poolpatrol.snapshot (org, id),
  constraint pass_form check (id ~ '^PASS-[0-9A-F]{8}$' and kind in ('monthly', 'daily', 'asked', 're_audit') and length(key) between 1 and 120 and length(asked_by) between 1 and 200
    and length(policy) between 1 and 200 and length(reason) <= 2000 and state in ('running', 'done', 'refused') and (state = 'running') = (ended_at is null)
    and planned >= 0 and verified >= 0 and failed >= 0 and errored >= 0)
);
create index pass_by_time on poolpatrol.pass (org, began_at);
create index pass_by_snapshot on poolpatrol.pass (org, snapshot);

-- One van's audit. A van with which nothing is wrong keeps its outcome and no
-- verdicts: they can be computed again from the snapshot.
create table poolpatrol.audit_run (
  org        text not null references gavel_sys.organisation,
  id         text not null,                     -- RUN- and eight hexadecimal digits
  pass       text not null,
  vanpool_id text not null,
  outcome    text not null,
  checks     text[] not null default '{}',      -- that failed
  verdicts   jsonb,                             -- null where nothing is wrong
  reason     text not null default '',          -- why it is an error
  recheck_on date,
  at         timestamptz not null,
  primary key (org, id),
  constraint audit_run_once unique (org, pass, vanpool_id),
  foreign key (org, pass) references poolpatrol.pass (org, id),
  constraint audit_run_form check (id ~ '^RUN-[0-9A-F]{8}$' and vanpool_id ~ '^VP-[0-9]{3,12}$' and outcome in ('verified', 'failed', 'error')
    and length(reason) <= 2000 and (outcome = 'verified' or verdicts is not null or reason <> ''))
);
create index audit_run_by_van on poolpatrol.audit_run (org, vanpool_id, at);

-- What is missing from the records, for those who keep them: it accuses nobody.
create table poolpatrol.gap (
  org         text not null references gavel_sys.organisation,
  vanpool_id  text not null,
  employee_id text not null default '',
  check_name  text not null,
  field       text not null,
  pass        text not null,
  seen_at     timestamptz not null,
  primary key (org, vanpool_id, employee_id, check_name, field),
  constraint gap_form check (length(field) <= 200 and check_name ~ '^[a-z][a-z_]{1,39}$')
);

-- How far it is by road from about where somebody lives to a pickup. The home is
-- known to some 150 metres here (seven letters of a geohash), and to nobody's name.
create table poolpatrol.road (
  org     text not null references gavel_sys.organisation,
  home    text not null,
  pickup  text not null,                        -- "lat,lng" to five decimals
  miles   double precision not null,
  minutes double precision not null,
  router  text not null,
  at      timestamptz not null,
  primary key (org, home, pickup),
  constraint road_form check (home ~ '^[0-9b-hjkmnp-z]{7}$' and length(pickup) <= 40 and miles between 0 and 25000 and minutes >= 0 and length(router) between 1 and 40)
);

-- +goose StatementBegin
do $$
declare t text;
begin
  foreach t in array array['site','shift','employee','assignment','away','vanpool','rider','exception','badge_day','permit','sync','snapshot','snapshot_part','pass','audit_run','gap','road'] loop
    perform gavel_sys.keep_apart(('poolpatrol.' || t)::regclass);
    execute format('grant select, insert, update, delete on poolpatrol.%I to gavel_app', t);
  end loop;
end $$;
-- +goose StatementEnd

-- What was seen and found stays: a run and an exception are never deleted, and
-- what they say is never changed.
revoke update, delete on poolpatrol.audit_run, poolpatrol.exception, poolpatrol.pass, poolpatrol.snapshot from gavel_app;
grant update (ended_at, ended_by, reason) on poolpatrol.exception to gavel_app;
grant update (verdicts, reason) on poolpatrol.audit_run to gavel_app; -- an erasure
grant update (snapshot, began_at, state, reason, after_van, planned, verified, failed, errored, ended_at) on poolpatrol.pass to gavel_app;
grant update (erased_at) on poolpatrol.snapshot to gavel_app;

-- What was kept its time is deleted for all organisations at once.
grant select on all tables in schema poolpatrol to gavel_system;
alter default privileges in schema poolpatrol grant select on tables to gavel_system; -- later migrations' too
grant delete on poolpatrol.snapshot, poolpatrol.pass, poolpatrol.audit_run, poolpatrol.badge_day, poolpatrol.road to gavel_system;
