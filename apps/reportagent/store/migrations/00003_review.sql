-- +goose Up

-- What reviewers say of a section: scores of one version, and notes, each of which is answered by a change or by a reason.
create table reportagent.rating (
  org          text not null references gavel_sys.organisation,
  report       text not null,
  section      text not null,
  version      integer not null,
  author       text not null,
  accuracy     smallint not null,
  completeness smallint not null,
  clarity      smallint not null,
  data_use     smallint not null,
  words        text not null default '',
  at           timestamptz not null,
  primary key (org, report, section, version, author),
  foreign key (org, report, section, version) references reportagent.version (org, report, section, n),
  constraint rating_form check (accuracy between 1 and 5 and completeness between 1 and 5 and clarity between 1 and 5
    and data_use between 1 and 5 and length(words) <= 2000
    and (least(accuracy, completeness, clarity, data_use) > 2 or words <> ''))
);

create table reportagent.note (
  org        text not null references gavel_sys.organisation,
  report     text not null,
  n          integer not null,
  section    text not null,
  version    integer not null,              -- that it was written about
  author     text not null,
  body       text not null,
  at         timestamptz not null,
  became     text not null default 'open',
  answer     text not null default '',      -- what was changed, or why nothing was
  in_version integer,                       -- where it was done
  answered_by text not null default '',
  verdict    text not null default '',      -- the author's, on the answer
  primary key (org, report, n),
  foreign key (org, report, section, version) references reportagent.version (org, report, section, n),
  constraint note_form check (n >= 1 and length(body) between 1 and 4000 and became in ('open', 'done', 'declined')
    and (became = 'declined') <= (answer <> '') and (became = 'done') = (in_version is not null) and length(answer) <= 2000
    and verdict in ('', 'accepted', 'refused') and (verdict = '' or became <> 'open'))
);

-- Sections that somebody else than their author has signed. Newer data that change a number of one open it again.
create table reportagent.signoff (
  org         text not null references gavel_sys.organisation,
  report      text not null,
  section     text not null,
  version     integer not null,
  hash        text not null,
  act         text not null,
  proposal    text not null,
  at          timestamptz not null,
  reopened_at timestamptz,
  why         text not null default '',     -- it was opened again
  primary key (org, act),
  foreign key (org, report, section, version) references reportagent.version (org, report, section, n),
  constraint signoff_form check (hash ~ '^[0-9a-f]{64}$' and (reopened_at is null) = (why = '') and length(why) <= 1000)
);
create unique index signoff_of_section on reportagent.signoff (org, report, section) where reopened_at is null;

select gavel_sys.keep_apart('reportagent.rating');
select gavel_sys.keep_apart('reportagent.note');
select gavel_sys.keep_apart('reportagent.signoff');
grant select, insert on reportagent.rating, reportagent.note, reportagent.signoff to gavel_app;
grant update (accuracy, completeness, clarity, data_use, words, at) on reportagent.rating to gavel_app;
grant update (became, answer, in_version, answered_by, verdict) on reportagent.note to gavel_app;
grant update (reopened_at, why) on reportagent.signoff to gavel_app;
