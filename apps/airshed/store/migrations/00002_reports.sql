-- +goose Up

-- What Airshed does about what it finds: a case for every episode, drafts of its
-- report, what became of filing one, and where notices to states go. The bytes of
-- a report are snapshots, under the digests that stand here.

create table airshed.case (
  org         text not null references gavel_sys.organisation,
  id          text not null,              -- the case's, with the platform
  key         text not null,              -- the episode it is about
  attempt     integer not null default 1, -- how often people were to be asked about filing
  renew       boolean not null default false, -- somebody wants a new draft, whatever the old one says
  thoughts    text[] not null default '{}', -- what agents were asked, by the name of the task
  opened_at   timestamptz not null,
  primary key (org, id),
  constraint case_of_episode unique (org, key),
  foreign key (org, key) references airshed.episode (org, key),
  constraint case_form check (attempt between 1 and 100 and cardinality(thoughts) <= 1000)
);

-- A draft of a report, as it would be filed. Drafts stay; the newest counts.
create table airshed.report (
  org         text not null references gavel_sys.organisation,
  case_id     text not null,
  n           integer not null,
  report_id   text not null,         -- the case's ref
  answer      integer not null,      -- of the episode, that it reports
  worded_by   text not null default '', -- the run of the agent that worded its summary; empty: code did
  station     text not null,
  aqi         integer not null,
  surge_at    timestamptz not null,
  verdict     text not null,
  first_state text not null,
  category    text not null,         -- of the index at its worst
  json        text not null,         -- digest of the report
  english     text not null,         -- of its page
  hindi       text not null,
  made_at     timestamptz not null,
  primary key (org, case_id, n),
  foreign key (org, case_id) references airshed.case (org, id),
  constraint report_form check (n >= 1 and report_id ~ '^CAQM-[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{3,6}$' and length(station) between 1 and 200
    and aqi between 0 and 500 and verdict in ('conclusive', 'inconclusive', 'no attribution') and length(first_state) <= 100
    and length(category) between 1 and 40 and length(worded_by) <= 80 and json ~ '^[0-9a-f]{64}$' and english ~ '^[0-9a-f]{64}$' and hindi ~ '^[0-9a-f]{64}$')
);
create index report_by_time on airshed.report (org, made_at desc, case_id desc, n desc);

-- What became of filing a report, once for each act.
create table airshed.filing (
  org       text not null references gavel_sys.organisation,
  act       text not null,            -- the act's key
  case_id   text not null,
  n         integer not null,         -- which draft
  status    text not null,
  place     text not null default '', -- where a copy lies in the lake; empty: nowhere
  receipt   text not null default '', -- the commission's word that it has it
  simulated boolean not null,         -- no commission received anything
  why       text not null default '', -- what could not be done
  at        timestamptz not null,
  primary key (org, act),
  foreign key (org, case_id, n) references airshed.report (org, case_id, n),
  constraint filing_form check (status in ('success', 'partial_success') and (status = 'success') = (receipt <> '')
    and length(receipt) <= 200 and length(place) <= 2048 and length(why) <= 1000)
);
create index filing_by_case on airshed.filing (org, case_id, at);

-- Where notices to a state go. An office, not a person.
create table airshed.office (
  org      text not null references gavel_sys.organisation,
  state    text not null,
  name     text not null,
  mailbox  text not null,
  language text not null,
  set_by   text not null,
  set_at   timestamptz not null,
  primary key (org, state),
  constraint office_form check (length(state) between 1 and 100 and length(name) between 1 and 200 and length(mailbox) between 3 and 254 and language in ('en', 'hi'))
);

-- +goose StatementBegin
do $$
declare t text;
begin
  foreach t in array array['case', 'report', 'filing', 'office'] loop
    perform gavel_sys.keep_apart(('airshed.' || quote_ident(t))::regclass);
    execute format('grant select, insert on airshed.%I to gavel_app', t);
  end loop;
end $$;
-- +goose StatementEnd

grant update (attempt, renew, thoughts) on airshed.case to gavel_app;
grant update (name, mailbox, language, set_by, set_at), delete on airshed.office to gavel_app;
