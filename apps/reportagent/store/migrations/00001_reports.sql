-- +goose Up

-- Reports that are drafted from an outline and a run of a model: the outline, the runs, and every version of every section.
-- The files of a run are snapshots, under the digests that stand here.
create schema reportagent;
grant usage on schema reportagent to gavel_app, gavel_system;

create table reportagent.report (
  org            text not null references gavel_sys.organisation,
  id             text not null,            -- also the key and the name of its case
  case_id        text not null,
  title          text not null,
  outline        text not null,            -- as the analyst wrote it; drafts are versions of sections and never in here
  outline_sha256 text not null,
  curated        text not null default '', -- which charts each section is written from, as JSON; empty: by what matches
  made_by        text not null,
  made_at        timestamptz not null,
  primary key (org, id),
  constraint report_of_case unique (org, case_id),
  constraint report_form check (id ~ '^RPT-[0-9A-F]{8}$' and length(title) between 1 and 200 and length(outline) between 1 and 16777216
    and outline_sha256 ~ '^[0-9a-f]{64}$' and length(curated) <= 4194304)
);
create index report_by_time on reportagent.report (org, made_at desc, id desc);

-- The runs of the model that a report was given, the newest last. The newest counts.
create table reportagent.dataset (
  org       text not null references gavel_sys.organisation,
  report    text not null,
  n         integer not null,
  name      text not null,                 -- as who brought it calls it
  pack      text not null,                 -- digest of all its files in one
  catalogue text not null,                 -- the version of what is in it
  charts    integer not null,
  given_by  text not null,
  given_at  timestamptz not null,
  primary key (org, report, n),
  foreign key (org, report) references reportagent.report (org, id),
  constraint dataset_form check (n >= 1 and length(name) between 1 and 200 and pack ~ '^[0-9a-f]{64}$' and catalogue ~ '^[0-9a-f]{64}$'
    and charts >= 1)
);

-- What a section said and says. Versions stay; the newest counts.
create table reportagent.version (
  org     text not null references gavel_sys.organisation,
  report  text not null,
  section text not null,
  n       integer not null,
  how     text not null,                   -- who worded it
  made_by text not null,
  job     text not null default '',        -- the drafting it comes from; empty: a person's words
  run     text not null default '',        -- of the agent that worded it
  dataset integer not null,                -- what it was written from
  hash    text not null,                   -- of the text, as an outline knows it
  body    text not null,
  entry   jsonb not null,                  -- the facts it cites, and its sentences with tokens
  made_at timestamptz not null,
  primary key (org, report, section, n),
  foreign key (org, report, dataset) references reportagent.dataset (org, report, n),
  constraint version_form check (n >= 1 and length(section) between 1 and 500 and how in ('templates', 'model', 'person')
    and (how = 'person') = (job = '') and length(job) <= 40 and length(run) <= 80 and hash ~ '^[0-9a-f]{64}$' and length(body) <= 4194304)
);
create unique index version_of_job on reportagent.version (org, report, section, job, how) where job <> '';

-- What became of each section in a drafting.
create table reportagent.outcome (
  org     text not null references gavel_sys.organisation,
  job     text not null,
  report  text not null,
  section text not null,
  status  text not null,
  why     text not null default '',
  dropped integer not null default 0,      -- sentences that the verifier did not let through
  at      timestamptz not null,
  primary key (org, job, section),
  foreign key (org, report) references reportagent.report (org, id),
  constraint outcome_form check (status in ('written', 'unchanged', 'kept', 'blocked') and length(why) <= 1000 and dropped >= 0)
);

select gavel_sys.keep_apart('reportagent.report');
select gavel_sys.keep_apart('reportagent.dataset');
select gavel_sys.keep_apart('reportagent.version');
select gavel_sys.keep_apart('reportagent.outcome');
grant select, insert on reportagent.report, reportagent.dataset, reportagent.version, reportagent.outcome to gavel_app;
grant update (title) on reportagent.report to gavel_app;
