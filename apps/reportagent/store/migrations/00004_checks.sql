-- +goose Up

-- What every text of a section has to mention from now on: notes of reviewers that were made standing checks. They stay until somebody ends
-- them, whoever words the section.
create table reportagent.standing (
  org      text not null references gavel_sys.organisation,
  report   text not null,
  n        integer not null,
  section  text not null,
  phrase   text not null,
  note     integer not null,               -- that it comes from
  made_by  text not null,
  made_at  timestamptz not null,
  ended_by text not null default '',
  ended_at timestamptz,
  primary key (org, report, n),
  foreign key (org, report, note) references reportagent.note (org, report, n),
  constraint standing_form check (n >= 1 and length(section) between 1 and 500 and length(phrase) between 2 and 200
    and (ended_at is null) = (ended_by = ''))
);

select gavel_sys.keep_apart('reportagent.standing');
grant select, insert on reportagent.standing to gavel_app;
grant update (ended_by, ended_at) on reportagent.standing to gavel_app;
