-- +goose Up

-- A person as one organisation knows them. The id is opaque and says nothing
-- about anybody: it stands in the log for ever. Issuer and subject are whom the
-- office vouched for; a guard who has no office account has the issuer 'local'.
-- Somebody who works for two organisations is two rows, which never meet.
create table gavel.person (
  org           text not null references gavel_sys.organisation,
  id            text not null,
  issuer        text not null,
  subject       text not null,
  name          text not null,
  email         text not null,
  roles         text[] not null, -- as of the last sign-in
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null, -- the last sign-in
  erased_at     timestamptz,
  primary key (org, id),
  constraint person_once unique (org, issuer, subject),
  constraint person_form check (
    id ~ '^p_[0-9A-HJKMNP-TV-Z]{26}$' and length(issuer) between 1 and 300 and length(subject) between 1 and 300
    and length(name) <= 200 and length(email) <= 320 and cardinality(roles) <= 20
    and (erased_at is null or name = '' and email = '' and roles = '{}'))
);
select gavel_sys.keep_apart('gavel.person');

-- A device is a shared one at a gate, with a name people say.
create table gavel.device (
  org           text not null references gavel_sys.organisation,
  id            text not null,
  secret_sha256 bytea not null,
  name          text not null,
  paired_by     text not null,
  paired_at     timestamptz not null,
  seen_at       timestamptz not null,
  revoked_at    timestamptz,
  revoked_by    text not null default '',
  primary key (org, id),
  constraint device_form check (
    id ~ '^dev_[0-9A-HJKMNP-TV-Z]{26}$' and length(secret_sha256) = 32 and length(name) between 1 and 60
    and (revoked_at is null) = (revoked_by = ''))
);
select gavel_sys.keep_apart('gavel.device');
create unique index device_name on gavel.device (org, name) where revoked_at is null;

-- A pairing is an administrator's offer: whoever types its code in time becomes
-- the device of that name.
create table gavel.pairing (
  org         text not null references gavel_sys.organisation,
  code_sha256 bytea not null,
  name        text not null,
  made_by     text not null,
  made_at     timestamptz not null,
  expires_at  timestamptz not null,
  primary key (org, code_sha256),
  constraint pairing_form check (length(code_sha256) = 32 and length(name) between 1 and 60 and expires_at > made_at)
);
select gavel_sys.keep_apart('gavel.pairing');

-- A session is one sign-in of a person. The secret is in the person's browser
-- or terminal and here only as a digest. roles are what the office said when
-- they signed in; orgs are the organisations the same sign-in is good for.
create table gavel.session (
  org           text not null references gavel_sys.organisation,
  id            text not null,
  secret_sha256 bytea not null,
  kind          text not null,
  person        text not null,
  roles         text[] not null,
  orgs          text[] not null,
  device        text,                     -- of a shift
  label         text not null default '', -- of a terminal
  viewing       text not null default '', -- the role an administrator looks through
  began_at      timestamptz not null,
  seen_at       timestamptz not null,
  ends_at       timestamptz not null,
  ended_at      timestamptz,
  primary key (org, id),
  constraint session_secret unique (org, secret_sha256),
  foreign key (org, person) references gavel.person (org, id),
  foreign key (org, device) references gavel.device (org, id),
  constraint session_form check (
    id ~ '^ses_[0-9A-HJKMNP-TV-Z]{26}$' and length(secret_sha256) = 32 and kind in ('browser', 'terminal', 'shift')
    and cardinality(roles) between 1 and 20 and cardinality(orgs) <= 20 and length(label) <= 100
    and (kind = 'shift') = (device is not null) and (viewing = '' or kind = 'browser') and ends_at > began_at)
);
select gavel_sys.keep_apart('gavel.session');
create index session_person on gavel.session (org, person);

-- A shift lets one guard in at the devices of an organisation, by a number that
-- is good until the shift ends.
create table gavel.shift (
  org          text not null references gavel_sys.organisation,
  id           text not null,
  person       text not null,
  pin_hash     text not null,
  opened_by    text not null,
  opened_at    timestamptz not null,
  ends_at      timestamptz not null,
  ended_at     timestamptz,
  wrong        int not null default 0, -- numbers in a row
  locked_until timestamptz,
  primary key (org, id),
  foreign key (org, person) references gavel.person (org, id),
  constraint shift_form check (id ~ '^shift_[0-9A-HJKMNP-TV-Z]{26}$' and length(pin_hash) between 1 and 200 and wrong between 0 and 100)
);
select gavel_sys.keep_apart('gavel.shift');
create unique index shift_one on gavel.shift (org, person) where ended_at is null;

-- A token lets a program in, with scopes and never a role.
create table gavel.machine_token (
  org           text not null references gavel_sys.organisation,
  id            text not null,
  secret_sha256 bytea not null,
  name          text not null,
  scopes        text[] not null,
  reason        text not null,
  salt          bytea not null, -- so that the reason's digest in the log cannot be guessed back
  issued_by     text not null,
  issued_at     timestamptz not null,
  expires_at    timestamptz not null,
  used_at       timestamptz,
  revoked_at    timestamptz,
  revoked_by    text not null default '',
  primary key (org, id),
  constraint machine_token_form check (
    id ~ '^tok_[0-9A-HJKMNP-TV-Z]{26}$' and length(secret_sha256) = 32 and length(name) between 1 and 60
    and cardinality(scopes) between 1 and 20 and length(reason) between 1 and 500 and length(salt) = 16
    and expires_at > issued_at and expires_at <= issued_at + interval '366 days'
    and (revoked_at is null) = (revoked_by = ''))
);
select gavel_sys.keep_apart('gavel.machine_token');

-- What was ended or revoked stays so.
-- +goose StatementBegin
create function gavel.stays_ended() returns trigger language plpgsql as $$
begin
  raise exception '% is ended for good', old.id using errcode = 'check_violation', constraint = 'stays_ended';
end $$;
-- +goose StatementEnd
create trigger stays_ended before update on gavel.session
  for each row when (old.ended_at is not null and new.ended_at is distinct from old.ended_at) execute function gavel.stays_ended();
create trigger stays_ended before update on gavel.machine_token
  for each row when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at) execute function gavel.stays_ended();
create trigger stays_ended before update on gavel.device
  for each row when (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at) execute function gavel.stays_ended();

-- A terminal that asks to be let in does not know its organisation yet: the
-- person who confirms it says which. Until then there is nothing here about
-- anybody but the name the terminal gave itself.
create table gavel_sys.terminal_request (
  secret_sha256 bytea primary key check (length(secret_sha256) = 32),
  code_sha256   bytea not null unique check (length(code_sha256) = 32),
  label         text not null check (length(label) <= 100),
  made_at       timestamptz not null,
  expires_at    timestamptz not null,
  org           text references gavel_sys.organisation -- once confirmed
);

-- Organisations that have had an administrator: the sign-in page tells how to
-- become the first one for as long as there is none.
create table gavel_sys.administered (
  org   text primary key references gavel_sys.organisation,
  since timestamptz not null
);

grant select, insert on gavel.person, gavel.device, gavel.session, gavel.shift, gavel.machine_token, gavel.pairing to gavel_app;
grant update (subject, name, email, roles, last_seen_at, erased_at) on gavel.person to gavel_app;
grant update (seen_at, revoked_at, revoked_by) on gavel.device to gavel_app;
grant update (viewing, seen_at, ended_at) on gavel.session to gavel_app;
grant update (ended_at, wrong, locked_until) on gavel.shift to gavel_app;
grant update (used_at, revoked_at, revoked_by) on gavel.machine_token to gavel_app;
grant delete on gavel.pairing, gavel.session to gavel_app;
grant select, insert, delete on gavel_sys.terminal_request to gavel_app;
grant update (org) on gavel_sys.terminal_request to gavel_app;
grant select, insert on gavel_sys.administered to gavel_app;
grant select on gavel.person, gavel.device, gavel.session, gavel.shift, gavel.machine_token to gavel_system;
