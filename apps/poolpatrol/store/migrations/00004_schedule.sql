-- +goose Up

-- The programme as its managers set it up. An empty zone is the organisation's.
alter table poolpatrol.office
  add column zone       text not null default '',
  add column minutes    int not null default 45,     -- what auditing one van by hand takes
  add column hour_cost  int not null default 0,      -- of one hour of that, in whole units of the currency; 0 is not said
  add column currency   text not null default '',
  add column version    bigint not null default 1,
  add column changed_by text not null default '',
  add column changed_at timestamptz,
  add constraint office_more check (length(zone) <= 64 and minutes between 1 and 6000 and hour_cost between 0 and 100000
    and currency ~ '^([A-Z]{3})?$' and version > 0 and length(changed_by) <= 200);

-- When passes begin by themselves. The two moments are what comes next; they are
-- written by who changes the schedule and by the engine's step that begins a pass.
create table poolpatrol.schedule (
  org          text primary key references gavel_sys.organisation,
  monthly      boolean not null,
  month_day    int not null,
  daily        boolean not null,
  hour         int not null,                    -- in the programme's zone
  version      bigint not null,
  set_by       text not null,
  set_at       timestamptz not null,
  monthly_at   timestamptz,                     -- null: not by itself
  daily_at     timestamptz,
  monthly_pass text not null default '',        -- that the schedule began last
  daily_pass   text not null default '',
  monthly_note text not null default '',        -- why the last one was not begun
  daily_note   text not null default '',
  monthly_noted timestamptz,
  daily_noted   timestamptz,
  constraint schedule_form check (month_day between 1 and 28 and hour between 0 and 23 and version > 0 and length(set_by) between 1 and 200
    and monthly = (monthly_at is not null) and daily = (daily_at is not null)
    and monthly_note in ('', 'stale', 'running') and daily_note in ('', 'stale', 'running'))
);
select gavel_sys.keep_apart('poolpatrol.schedule');
grant select, insert, update on poolpatrol.schedule to gavel_app;
grant select on poolpatrol.schedule to gavel_system;

-- A cancellation that was reversed: the seat was given back.
alter table poolpatrol.case_subject
  add column cancelled_at timestamptz,
  add column put_back_at  timestamptz,
  add constraint case_subject_reversal check (put_back_at is null or cancelled_at is not null);
create index case_subject_cancelled on poolpatrol.case_subject (org, cancelled_at) where cancelled_at is not null;

-- Lists and counts of cases.
create index case_by_state on poolpatrol.case (org, state, opened_at, id);
create index case_by_end on poolpatrol.case (org, ended_at) where ended_at is not null;
create index case_by_ref on poolpatrol.case (org, ref);
create index pass_running on poolpatrol.pass (org, kind) where state = 'running';
