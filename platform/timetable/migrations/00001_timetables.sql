-- +goose Up

-- What an organisation has done by itself, and when. A timetable is one application's, and
-- has a slot for each thing that comes: its plan, when it comes next, and what became of it
-- last. They are written by who changes the plan and by the engine's step that looks at it.
create table gavel.timetable (
  org     text not null references gavel_sys.organisation,
  kind    text not null,              -- whose and what: "poolpatrol/calendar:passes"
  version bigint not null default 0,  -- 0: nobody has set it
  set_by  text not null default '',
  set_at  timestamptz,
  primary key (org, kind),
  constraint timetable_form check (kind ~ '^[a-z]+/[a-z:_]{1,60}$' and version >= 0 and length(set_by) <= 200 and (version = 0) = (set_at is null))
);

create table gavel.timetable_slot (
  org      text not null references gavel_sys.organisation,
  kind     text not null,
  name     text not null,
  on_plan  boolean not null,          -- it comes by itself
  each     text not null,
  hours    integer not null,          -- between two, where it comes several times a day
  day      integer not null,          -- of the month
  hour     integer not null,          -- of the day, in the zone that the application tells
  next_at  timestamptz,
  last     text not null,             -- what was begun last
  note     text not null,             -- why it was not begun the last time
  noted_at timestamptz,
  owed     boolean not null,          -- it was put off, and is tried until it can be begun
  primary key (org, kind, name),
  foreign key (org, kind) references gavel.timetable (org, kind),
  constraint timetable_slot_form check (name ~ '^[a-z_]{1,40}$' and each in ('hours', 'day', 'month') and hours between 0 and 24 and day between 0 and 28
    and hour between 0 and 23 and (on_plan or next_at is null) and length(last) <= 100 and note ~ '^[a-z_]{0,40}$'
    and (note = '') = (noted_at is null) and (note <> '' or not owed))
);

select gavel_sys.keep_apart('gavel.timetable');
select gavel_sys.keep_apart('gavel.timetable_slot');
grant select, insert, update on gavel.timetable, gavel.timetable_slot to gavel_app;
grant select on gavel.timetable, gavel.timetable_slot to gavel_system;
