-- +goose Up

-- Who writes to riders, and where they turn.
create table poolpatrol.office (
  org       text primary key references gavel_sys.organisation,
  programme text not null,
  portal    text not null,
  contact   text not null,
  appeal    text not null,
  constraint office_form check (length(programme) between 1 and 200 and length(portal) between 1 and 500
    and length(contact) between 1 and 300 and length(appeal) between 1 and 300)
);

-- A van's case. life is all that package lifecycle knows of it: ids and times, and
-- no personal data. The other columns are taken out of it, for lists.
create table poolpatrol.case (
  org           text not null references gavel_sys.organisation,
  id            text not null,
  ref           text not null,
  vanpool_id    text not null,
  life          jsonb not null,
  state         text not null,
  reason        text not null,
  failed_checks text[] not null,
  audit_run     text not null,                  -- the newest that it rests on
  policy        text not null,                  -- digest of the thresholds
  rules         text not null,                  -- version of the terms
  opened_at     timestamptz not null,
  deadline_at   timestamptz,
  ended_at      timestamptz,
  primary key (org, id),
  foreign key (org, id) references gavel.case (org, id),
  foreign key (org, audit_run) references poolpatrol.audit_run (org, id),
  constraint case_form check (vanpool_id ~ '^VP-[0-9]{3,12}$' and reason in ('shift_mismatch', 'location_mismatch', 'unknown')
    and state in ('open', 'pending_reply', 're_audit', 'hitl_review', 'pre_cancel', 'resolved', 'cancelled')
    and (state in ('resolved', 'cancelled')) = (ended_at is not null) and pg_column_size(life) <= 262144)
);
-- One open case a van, whatever else fails.
create unique index case_of_van on poolpatrol.case (org, vanpool_id) where state not in ('resolved', 'cancelled');
create index case_ended on poolpatrol.case (org, vanpool_id, ended_at);

create table poolpatrol.case_subject (
  org           text not null references gavel_sys.organisation,
  case_id       text not null,
  employee_id   text not null,
  failed_checks text[] not null,
  state         text not null,
  primary key (org, case_id, employee_id),
  foreign key (org, case_id) references poolpatrol.case (org, id),
  constraint case_subject_form check (state in ('open', 'cleared', 'cancel_pending', 'cancelled'))
);
create index case_subject_by_employee on poolpatrol.case_subject (org, employee_id);

-- What has happened to a case, each once: the key is of what it was noticed by.
create table poolpatrol.case_event (
  org     text not null references gavel_sys.organisation,
  case_id text not null,
  n       int not null,                         -- the case's step that it made
  key     text not null,
  event   jsonb not null,
  refused text not null default '',             -- why nothing came of it
  at      timestamptz not null,
  primary key (org, case_id, key),
  foreign key (org, case_id) references poolpatrol.case (org, id),
  constraint case_event_form check (length(key) between 1 and 200 and pg_column_size(event) <= 65536 and length(refused) <= 1000)
);

-- What a step left to be done that is not part of its transaction: to ask people,
-- to look again, to have a reply read.
create table poolpatrol.case_todo (
  org     text not null references gavel_sys.organisation,
  case_id text not null,
  key     text not null,
  n       int not null,
  action  jsonb not null,
  done_at timestamptz,
  primary key (org, case_id, key),
  foreign key (org, case_id) references poolpatrol.case (org, id)
);
create index case_todo_left on poolpatrol.case_todo (org, case_id, n) where done_at is null;

alter table poolpatrol.audit_run add column case_id text;       -- the case that it opened or is part of
alter table poolpatrol.audit_run add column settled boolean not null default false; -- whether it was seen to what follows from it
create index audit_run_unsettled on poolpatrol.audit_run (org, pass, vanpool_id) where outcome = 'failed' and not settled;
grant update (case_id, settled) on poolpatrol.audit_run to gavel_app;

-- +goose StatementBegin
do $$
declare t text;
begin
  foreach t in array array['office','case','case_subject','case_event','case_todo'] loop
    perform gavel_sys.keep_apart(('poolpatrol.' || t)::regclass);
    execute format('grant select, insert, update on poolpatrol.%I to gavel_app', t);
  end loop;
end $$;
-- +goose StatementEnd
