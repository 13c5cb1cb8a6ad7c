-- +goose Up

-- Drafts that were put to the commission, noted before they are: a draft without an
-- outcome may have been received, and nothing else is filed in its case until that is known.
create table airshed.submission (
  org     text not null references gavel_sys.organisation,
  case_id text not null,
  n       integer not null,         -- which draft
  act     text not null,            -- the act that put it there last
  outcome text not null default '', -- taken, refused; empty: nobody knows
  doubted boolean not null default false, -- an earlier try may have got through: only a receipt settles it
  at      timestamptz not null,
  primary key (org, case_id, n),
  foreign key (org, case_id, n) references airshed.report (org, case_id, n),
  constraint submission_form check (outcome in ('', 'taken', 'refused'))
);

select gavel_sys.keep_apart('airshed.submission'::regclass);
grant select, insert, update (act, outcome, doubted, at) on airshed.submission to gavel_app;
