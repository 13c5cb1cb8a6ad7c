-- +goose Up

-- Which sources were heard of a district on a day (UTC), from when to when, and how often: by it silence is told from calm.
create table netra.heard (
  org      text not null references gavel_sys.organisation,
  day      date not null,
  lgd      integer not null,
  source   text not null,
  signals  bigint not null,
  first_at timestamptz not null,
  last_at  timestamptz not null,
  primary key (org, day, lgd, source),
  constraint heard_form check (signals > 0 and last_at >= first_at and length(source) <= 100)
);

-- How each district stands after the newest look at it.
create table netra.standing (
  org        text not null references gavel_sys.organisation,
  lgd        integer not null,
  at         timestamptz not null,
  band       text not null,
  below      timestamptz,
  case_band  text not null,
  case_at    timestamptz,
  case_id    text not null default '',
  open       boolean not null,
  silent     boolean not null,
  silent_at  timestamptz,                  -- since when its sources are
  heard      jsonb not null,               -- what was heard beside what is usual
  primary key (org, lgd),
  constraint standing_form check (open = false or (case_id <> '' and case_at is not null))
);

-- One case for each district and crossing, with what was found when it crossed. What was found is never changed.
create table netra.alert (
  org        text not null references gavel_sys.organisation,
  case_id    text not null,
  lgd        integer not null,
  district   text not null,
  state      text not null,
  band       text not null,
  came_from  text not null,                -- the band before
  score      double precision not null,
  crossed_at timestamptz not null,
  settings   bigint not null,              -- the version of the thresholds
  found      jsonb not null,               -- the score with its reasons, what was heard, the limits
  ended_at   timestamptz,                  -- the district was below long enough, or went higher
  ended      text not null default '',
  primary key (org, case_id),
  constraint alert_form check (score between 0 and 100 and (ended = '') = (ended_at is null) and ended in ('', 'calm', 'higher'))
);
create index alert_by_time on netra.alert (org, crossed_at desc, case_id desc);
create index alert_by_district on netra.alert (org, lgd, crossed_at desc);

-- What officers decided about it, each with their reason and what spoke against it.
create table netra.review (
  org     text not null references gavel_sys.organisation,
  act     text not null,
  case_id text not null,
  outcome text not null,
  reason  text not null,
  dissent text not null,
  by_id   text not null,
  at      timestamptz not null,
  primary key (org, act),
  foreign key (org, case_id) references netra.alert (org, case_id),
  constraint review_form check (outcome in ('act', 'watch', 'no_action', 'doubt') and length(reason) between 1 and 2000
    and length(dissent) <= 2000)
);
create index review_by_case on netra.review (org, case_id, at);

-- +goose StatementBegin
do $$
declare t text;
begin
  foreach t in array array['heard', 'standing', 'alert', 'review'] loop
    perform gavel_sys.keep_apart(('netra.' || t)::regclass);
    execute format('grant select, insert on netra.%I to gavel_app', t);
  end loop;
end $$;
-- +goose StatementEnd
grant update (signals, first_at, last_at) on netra.heard to gavel_app;
grant update (at, band, below, case_band, case_at, case_id, open, silent, silent_at, heard) on netra.standing to gavel_app;
grant update (ended, ended_at) on netra.alert to gavel_app;
grant delete on netra.heard to gavel_system;
