-- +goose Up

-- Names are looked for by their trigrams. It is made here, by the owner of the database:
-- who works with the tables makes no extensions.
create extension if not exists pg_trgm;

create schema gatepass;
grant usage on schema gatepass to gavel_app, gavel_system;

-- How many passes an organisation has made in a year of the site. The row is locked until the pass
-- is committed, so that numbers have no gaps.
create table gatepass.counter (
  org  text not null references gavel_sys.organisation,
  year int not null,
  last int not null,
  primary key (org, year),
  constraint counter_form check (year between 1000 and 9999 and last between 1 and 999999)
);
select gavel_sys.keep_apart('gatepass.counter');

create table gatepass.pass (
  org                text not null references gavel_sys.organisation,
  id                 text not null,
  number             text not null,
  code               text not null,
  case_id            text not null,
  proposal           text not null,          -- that asks for its approval
  person_name        text not null,
  description        text not null,
  type               text not null,
  site_id            text not null,
  employee_ref       text not null default '',
  host_ref           text not null default '',
  vehicle_plate      text not null default '',
  returnable         boolean not null,
  person_back        boolean not null default false,
  status             text not null,
  version            int not null,
  token              int not null default 0,
  valid_from         timestamptz not null,
  valid_until        timestamptz not null,
  expected_return_at timestamptz,
  created_at         timestamptz not null,
  created_by         text not null,
  created_by_name    text not null,
  approved_at        timestamptz,
  approved_by        text not null default '',
  rejected_at        timestamptz,
  rejected_by        text not null default '',
  reject_reason      text not null default '',
  exit_time          timestamptz,
  return_time        timestamptz,
  exit_photo         text not null default '',
  return_photo       text not null default '',
  deleted_at         timestamptz,
  deleted_by         text not null default '',
  deleted_reason     text not null default '',
  erased_at          timestamptz,
  primary key (org, id),
  constraint pass_number unique (org, number),
  foreign key (org, case_id) references gavel.case (org, id),
  constraint pass_form check (
    number ~ '^GP-[0-9]{4}-([0-9]{4}|[1-9][0-9]{4,5})$' and code ~ '^[2-9A-HJ-NP-Z]{6}$' and length(id) = 36
    and length(person_name) <= 120 and length(description) <= 500 and type in ('employee_out', 'visitor', 'contractor', 'material', 'vehicle')
    and length(site_id) <= 64 and length(employee_ref) <= 64 and length(host_ref) <= 64 and length(vehicle_plate) <= 20
    and length(reject_reason) <= 500 and length(deleted_reason) <= 500 and version > 0 and token >= 0),
  constraint pass_state check (
    status in ('pending', 'approved', 'rejected', 'exited', 'returned')
    and (status in ('approved', 'exited', 'returned')) = (approved_at is not null)
    and (status = 'rejected') = (rejected_at is not null)
    and (status in ('exited', 'returned')) = (exit_time is not null)
    and (status = 'returned') = (return_time is not null)
    and (status <> 'returned' or returnable)
    and valid_until > valid_from and (approved_at is null or approved_at >= created_at)
    and (exit_time is null or exit_time >= approved_at) and (return_time is null or return_time >= exit_time))
);
select gavel_sys.keep_apart('gatepass.pass');
-- A code that a guard types is one pass's while the pass is alive.
create unique index pass_code on gatepass.pass (org, code) where deleted_at is null and status in ('pending', 'approved', 'exited');
create index pass_listed on gatepass.pass (org, created_at, id);
create index pass_waiting on gatepass.pass (org, status, created_at, id) where deleted_at is null;

create table gatepass.item (
  org           text not null,
  pass_id       text not null,
  n             int not null,
  id            text not null,
  name          text not null,
  quantity      bigint not null,  -- in thousandths
  unit          text not null,
  serial        text not null,
  asset         text not null,
  returnable    boolean not null,
  condition_out text not null,
  good          bigint not null default 0,
  damaged       bigint not null default 0,
  lost          bigint not null default 0,
  primary key (org, pass_id, id),
  foreign key (org, pass_id) references gatepass.pass (org, id),
  constraint item_form check (n between 1 and 200 and length(id) between 1 and 40 and length(name) <= 120 and quantity > 0
    and length(unit) <= 20 and length(serial) <= 60 and length(asset) <= 60 and length(condition_out) <= 200
    and good >= 0 and damaged >= 0 and lost >= 0 and good + damaged + lost <= quantity)
);
select gavel_sys.keep_apart('gatepass.item');

-- What happened to a pass, in order. Lines are added and stay.
create table gatepass.event (
  org       text not null,
  pass_id   text not null,
  seq       int not null,   -- the pass's version that it made
  status    text not null,
  event     text not null,
  at        timestamptz not null,
  by_id     text not null,
  by_name   text not null,
  stands_for text not null default '',
  via       text not null,
  reason    text not null default '',
  decision  text not null default '',
  record_id text not null,
  primary key (org, pass_id, seq),
  foreign key (org, pass_id) references gatepass.pass (org, id),
  constraint event_form check (seq > 0 and length(reason) <= 500 and length(by_id) between 1 and 200 and length(by_name) <= 200
    and via in ('console', 'agent', 'gate', 'system'))
);
select gavel_sys.keep_apart('gatepass.event');
create index event_at on gatepass.event (org, at, pass_id, seq);

-- What was let through at gates. key is the device's own name for it: the same twice happens once.
create table gatepass.scan (
  org      text not null,
  key      text not null,
  pass_id  text not null,
  kind     text not null,
  at       timestamptz not null,   -- after everything that was known of the pass
  received timestamptz not null,
  captured timestamptz,            -- by the device's clock, where it said so
  site_id  text not null,
  gate_id  text not null default '',
  device   text not null default '',
  guard    text not null,
  session  text not null default '',
  photo    text not null default '',
  reason   text not null default '',
  primary key (org, key),
  foreign key (org, pass_id) references gatepass.pass (org, id),
  constraint scan_form check (kind in ('scan_exit', 'scan_return') and length(key) between 1 and 80 and length(gate_id) <= 64
    and length(device) <= 64 and length(reason) <= 500 and length(guard) between 1 and 200)
);
select gavel_sys.keep_apart('gatepass.scan');
create index scan_pass on gatepass.scan (org, pass_id, at);

-- Photos lie in the blob store, sealed. An original is never handed out: jpeg and thumb are drawn from it.
create table gatepass.photo (
  org        text not null,
  id         text not null,
  pass_id    text not null,
  kind       text not null,
  format     text not null,
  bytes      bigint not null,
  width      int not null,
  height     int not null,
  sha256     text not null,  -- of the original
  sealed     text not null,  -- where it lies
  taken_at   timestamptz not null,
  taken_by   text not null,
  gate_id    text not null default '',
  device     text not null default '',
  jpeg       text not null default '',
  jpeg_bytes bigint not null default 0,
  thumb      text not null default '',
  drawn_at   timestamptz,
  trouble    text not null default '', -- why nothing could be drawn
  tries      int not null default 0,
  primary key (org, id),
  foreign key (org, pass_id) references gatepass.pass (org, id),
  constraint photo_form check (kind in ('exit', 'return') and format in ('image/jpeg', 'image/png', 'image/heic') and bytes > 0
    and sha256 ~ '^[0-9a-f]{64}$' and sealed ~ '^[0-9a-f]{64}$' and length(trouble) <= 200)
);
select gavel_sys.keep_apart('gatepass.photo');
create index photo_pass on gatepass.photo (org, pass_id, taken_at);
create index photo_undrawn on gatepass.photo (org, taken_at) where drawn_at is null and trouble = '';

-- A notice stands in the feed of its roles; whether it was read is each reader's own.
create table gatepass.notice (
  org        text not null references gavel_sys.organisation,
  id         text not null,
  key        text not null,
  type       text not null,
  severity   text not null,
  pass_id    text not null,
  number     text not null,
  to_hr      boolean not null,
  to_admin   boolean not null,
  to_gate    boolean not null,
  made_at    timestamptz not null,
  primary key (org, id),
  constraint notice_once unique (org, key),
  foreign key (org, pass_id) references gatepass.pass (org, id),
  constraint notice_form check (severity in ('info', 'warn', 'critical') and length(key) <= 120 and length(type) <= 40)
);
select gavel_sys.keep_apart('gatepass.notice');

create table gatepass.notice_read (
  org    text not null,
  notice text not null,
  person text not null,
  at     timestamptz not null,
  primary key (org, notice, person),
  foreign key (org, notice) references gatepass.notice (org, id),
  constraint notice_read_form check (length(person) between 1 and 200)
);
select gavel_sys.keep_apart('gatepass.notice_read');

-- People at whom somebody looks before they leave.
create table gatepass.watch (
  org      text not null references gavel_sys.organisation,
  id       text not null,
  name     text not null,
  aliases  text[] not null default '{}',
  level    text not null,
  until    timestamptz,
  reason   text not null,
  added_by text not null,
  added_at timestamptz not null,
  ended_at timestamptz,
  primary key (org, id),
  constraint watch_form check (length(name) between 1 and 120 and cardinality(aliases) <= 20 and level in ('hard', 'ask') and length(reason) <= 500)
);
select gavel_sys.keep_apart('gatepass.watch');

create table gatepass.cleared (
  org   text not null,
  watch text not null,
  name  text not null,   -- normalised
  by_id text not null,
  at    timestamptz not null,
  primary key (org, watch, name),
  foreign key (org, watch) references gatepass.watch (org, id)
);
select gavel_sys.keep_apart('gatepass.cleared');

-- What codes are signed with. The private key is sealed under the installation's own.
create table gatepass.signing_key (
  org     text not null references gavel_sys.organisation,
  id      text not null,
  public  bytea not null,
  sealed  text not null,
  made_at timestamptz not null,
  primary key (org, id),
  constraint signing_key_form check (length(public) = 32 and length(sealed) <= 1000)
);
select gavel_sys.keep_apart('gatepass.signing_key');

grant select, insert, update on gatepass.counter, gatepass.pass, gatepass.item, gatepass.photo, gatepass.watch to gavel_app;
grant select, insert on gatepass.event, gatepass.scan, gatepass.notice, gatepass.notice_read, gatepass.cleared, gatepass.signing_key to gavel_app;
grant update (reason) on gatepass.event to gavel_app; -- blanked when somebody is erased
grant select on all tables in schema gatepass to gavel_system;
