-- +goose Up

-- What somebody typed and has not sent: theirs alone, one for each section. It goes when they send it, or throw it away.
create table reportagent.unsent (
  org      text not null references gavel_sys.organisation,
  report   text not null,
  section  text not null,
  author   text not null,
  rev      integer not null,               -- grows with each saving: another window of theirs overwrites nothing
  was      text not null,                  -- hash of the text that it is to replace
  body     text not null,
  saved_at timestamptz not null,
  primary key (org, report, section, author),
  foreign key (org, report) references reportagent.report (org, id),
  constraint unsent_form check (rev >= 1 and was ~ '^[0-9a-f]{64}$' and length(section) between 1 and 500
    and length(author) between 1 and 200 and length(body) <= 4194304)
);

-- Up to which version somebody has read a section: what came after is new to them.
create table reportagent.reading (
  org     text not null references gavel_sys.organisation,
  report  text not null,
  section text not null,
  reader  text not null,
  version integer not null,
  at      timestamptz not null,
  primary key (org, report, section, reader),
  foreign key (org, report, section, version) references reportagent.version (org, report, section, n),
  constraint reading_form check (length(reader) between 1 and 200)
);

select gavel_sys.keep_apart('reportagent.unsent');
select gavel_sys.keep_apart('reportagent.reading');
grant select, insert, delete on reportagent.unsent to gavel_app;
grant update (rev, was, body, saved_at) on reportagent.unsent to gavel_app;
grant select, insert on reportagent.reading to gavel_app;
grant update (version, at) on reportagent.reading to gavel_app;
