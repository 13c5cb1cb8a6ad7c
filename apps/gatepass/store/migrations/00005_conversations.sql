-- +goose Up

-- A conversation of one person with an agent, in one role: what it keeps between two messages. What was said
-- at length is the run's own transcript; here are the words that a call is held against, for as long as it lasts.
create table gatepass.talk (
  org                 text not null references gavel_sys.organisation,
  id                  text not null,
  case_id             text not null,
  run_id              text not null,
  person              text not null,
  person_name         text not null default '',
  session             text not null default '',
  role                text not null,
  roles               text[] not null, -- of the institution, that make it up
  lang                text not null default 'en',
  begun_at            timestamptz not null,
  touched_at          timestamptz not null,
  ended_at            timestamptz,
  current_pass_number text not null default '',
  current_pass_id     text not null default '',
  last_operation      text not null default '',
  pending_tool        text not null default '',
  pending_parameters  jsonb not null default '{}',
  shown               jsonb not null default '[]', -- the passes of the last answer, as they stood there
  seen                jsonb not null default '[]', -- every pass of the conversation
  said                jsonb not null default '[]', -- what the person wrote
  made                jsonb not null default '[]', -- the keys of the passes made of the last message
  primary key (org, id),
  foreign key (org, case_id) references gavel.case (org, id),
  constraint talk_form check (
    id ~ '^[0-9a-f-]{36}$' and run_id ~ '^run_[0-9A-HJKMNP-TV-Z]{26}$' and role in ('HR_User', 'Admin_User', 'Gate_User')
    and cardinality(roles) between 1 and 10 and length(person) between 1 and 200 and length(person_name) <= 200 and length(session) <= 200 and lang in ('en', 'hi')
    and length(current_pass_number) <= 20 and length(current_pass_id) <= 36 and length(last_operation) <= 64 and length(pending_tool) <= 64
    and pg_column_size(pending_parameters) <= 16384 and pg_column_size(shown) <= 262144 and pg_column_size(seen) <= 262144
    and pg_column_size(said) <= 1048576 and pg_column_size(made) <= 4096 and touched_at >= begun_at),
  constraint talk_end check (ended_at is null or said = '[]' and shown = '[]' and seen = '[]' and made = '[]' and pending_parameters = '{}'
    and current_pass_number = '' and current_pass_id = '' and pending_tool = '' and last_operation = '')
);
select gavel_sys.keep_apart('gatepass.talk');
create unique index talk_open on gatepass.talk (org, person, session) where ended_at is null;
create unique index talk_case on gatepass.talk (org, case_id);

-- A photo that a person handed in, for a scan. A model knows it by its id.
create table gatepass.talk_photo (
  org    text not null,
  id     text not null,
  talk   text not null,
  name   text not null,
  format text not null,
  bytes  bigint not null,
  sha256 text not null,
  sealed text not null,
  at     timestamptz not null,
  primary key (org, id),
  foreign key (org, talk) references gatepass.talk (org, id),
  constraint talk_photo_form check (id ~ '^att_[a-z0-9]{26}$' and length(name) <= 200 and length(format) <= 40 and bytes > 0
    and length(sha256) = 64 and length(sealed) <= 200)
);
select gavel_sys.keep_apart('gatepass.talk_photo');

-- A request of an agent's that is being tried again: who waits sees it.
create table gatepass.talk_try (
  org   text not null,
  talk  text not null,
  call  text not null,
  again int not null,
  of    int not null,
  at    timestamptz not null,
  primary key (org, talk, call),
  foreign key (org, talk) references gatepass.talk (org, id),
  constraint talk_try_form check (length(call) between 1 and 64 and again between 1 and 9 and of between 1 and 9)
);
select gavel_sys.keep_apart('gatepass.talk_try');

grant select, insert on gatepass.talk, gatepass.talk_photo to gavel_app;
grant update (touched_at, ended_at, current_pass_number, current_pass_id, last_operation, pending_tool, pending_parameters, shown, seen,
  said, made, person_name) on gatepass.talk to gavel_app;
grant update (name) on gatepass.talk_photo to gavel_app;
grant select, insert, update on gatepass.talk_try to gavel_app;
grant select on gatepass.talk, gatepass.talk_photo, gatepass.talk_try to gavel_system;
