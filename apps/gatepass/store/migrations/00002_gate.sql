-- +goose Up

-- A change of a pass carries its transaction, so that a gate can be sent what has changed since it last asked, and miss nothing that
-- was committed out of order. It is an index's order and no history.
alter table gatepass.pass add column changed xid8 not null default pg_current_xact_id();
create index pass_changed on gatepass.pass (org, site_id, changed);
-- +goose StatementBegin
create function gatepass.note_change() returns trigger language plpgsql as $$
begin
  new.changed := pg_current_xact_id();
  return new;
end $$;
-- +goose StatementEnd
create trigger note_change before update on gatepass.pass for each row execute function gatepass.note_change();

-- What came back with a return, as it was scanned: [{"item":"1","quantity":"1","condition":"good"}].
alter table gatepass.scan add column items jsonb not null default '[]';

-- A key with which a paired device signs what it lets through while it is alone. A device that lost its memory has another.
create table gatepass.gate (
  org     text not null references gavel_sys.organisation,
  id      text not null,
  device  text not null,
  public  bytea not null,
  site_id text not null,
  gate_id text not null,
  made_at timestamptz not null,
  made_by text not null,
  primary key (org, id),
  foreign key (org, device) references gavel.device (org, id),
  constraint gate_once unique (org, public),
  constraint gate_form check (length(id) = 36 and length(public) = 32 and length(site_id) <= 64 and length(gate_id) <= 64)
);
select gavel_sys.keep_apart('gatepass.gate');

-- Signed events of gates, each once, by their digest. What could not be read has its text and nothing else.
create table gatepass.arrival (
  org      text not null references gavel_sys.organisation,
  digest   text not null,
  gate     text not null default '',   -- the key's id, as the event says
  event_id text not null default '',
  seq      bigint not null default 0,
  prev     text not null default '',
  number   text not null default '',
  kind     text not null default '',
  at       timestamptz,                -- by the device's clock
  guard    text not null default '',
  photo    text not null default '',   -- the SHA-256 that the event signs
  reason   text not null default '',
  items    jsonb not null default '[]',
  site_id  text not null default '',
  received timestamptz not null,
  sent_by  text not null,
  held     text not null default '',   -- why it was not let in; empty where it was
  text     text not null,
  primary key (org, digest),
  constraint arrival_form check (digest ~ '^[0-9a-f]{64}$' and length(text) <= 16384 and length(held) <= 40 and length(reason) <= 2000)
);
select gavel_sys.keep_apart('gatepass.arrival');
create index arrival_pass on gatepass.arrival (org, number);
create index arrival_gate on gatepass.arrival (org, gate, seq);

-- What a person has to look into: an event that does not fit, or that was held.
create table gatepass.question (
  org        text not null references gavel_sys.organisation,
  id         text not null,
  event      text not null,             -- the digest of a signed event, or scan/<key>
  number     text not null default '',
  reason     text not null,
  other      text not null default '',  -- the event that counts instead
  raised_at  timestamptz not null,
  case_id    text not null,
  proposal   text not null,
  settled_at timestamptz,               -- it fits after all: nobody need be asked
  ended_at   timestamptz,               -- decided, or taken back
  answer     text not null default '',
  primary key (org, id),
  foreign key (org, case_id) references gavel.case (org, id),
  constraint question_form check (length(id) <= 40 and length(event) between 1 and 90 and length(reason) <= 40 and answer in ('', 'counted', 'left', 'fits'))
);
select gavel_sys.keep_apart('gatepass.question');
create unique index question_open on gatepass.question (org, event) where settled_at is null and ended_at is null;

grant select, insert on gatepass.gate, gatepass.arrival, gatepass.question to gavel_app;
grant update (held, reason, text) on gatepass.arrival to gavel_app;
grant update (settled_at, ended_at, answer) on gatepass.question to gavel_app;
grant update (reason) on gatepass.scan to gavel_app;
grant select on gatepass.gate, gatepass.arrival, gatepass.question to gavel_system;
