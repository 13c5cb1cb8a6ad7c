-- +goose Up

-- In which cases something was blanked for a subject, so that a later look finds
-- the exports of those cases, too. The parts themselves are in the log.
create table gavel.erasure_case (
  org     text not null references gavel_sys.organisation,
  subject text not null check (length(subject) between 3 and 200),
  case_id text not null check (length(case_id) between 1 and 60),
  primary key (org, subject, case_id)
);
select gavel_sys.keep_apart('gavel.erasure_case');

grant select, insert on gavel.erasure_case to gavel_app;
grant select on gavel.erasure_case to gavel_system;
