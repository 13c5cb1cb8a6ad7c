-- +goose Up

-- What was said of a district to somebody who asked, with all that it rests on. Code's words are there from the beginning; where a model
-- words it too, what of its words holds is added once. Nothing else of it is ever changed.
create table netra.briefing (
  org          text not null references gavel_sys.organisation,
  id           text not null,
  lgd          integer not null,
  window_hours integer not null,
  lang         text not null,
  question     text not null,               -- without personal data; empty: a whole briefing
  basis        text not null,               -- JSON: the facts are read from these bytes
  lines        jsonb not null,              -- code's words, with tokens
  state        text not null,
  worded       jsonb not null default '[]', -- a model's words that hold, with tokens
  run          text not null default '',    -- the agent's
  case_id      text not null default '',    -- on which it worked
  asked_by     text not null,
  asked_at     timestamptz not null,
  ended_at     timestamptz,                 -- when nothing more comes
  primary key (org, id),
  constraint briefing_form check (id ~ '^NBR-[0-9A-F]{8}$' and lgd between 1 and 999999 and window_hours between 1 and 744
    and lang in ('en', 'hi') and length(question) <= 600 and length(basis) <= 262144 and length(run) <= 60
    and state in ('code', 'asked', 'worded', 'refused') and (state = 'asked') = (ended_at is null)
    and (state = 'worded') = (jsonb_array_length(worded) > 0) and (state = 'code') = (case_id = ''))
);
create index briefing_by_time on netra.briefing (org, asked_at desc, id desc);
create index briefing_by_district on netra.briefing (org, lgd, asked_at desc, id desc);
create unique index briefing_by_case on netra.briefing (org, case_id) where case_id <> '';
create index briefing_by_person on netra.briefing (org, asked_by, asked_at);

-- What a model handed in, as it was: of this nothing is shown that does not hold.
create table netra.draft (
  org      text not null references gavel_sys.organisation,
  briefing text not null,
  n        integer not null,
  body     text not null,
  found    integer not null,                -- sentences that do not hold
  at       timestamptz not null,
  primary key (org, briefing, n),
  foreign key (org, briefing) references netra.briefing (org, id) on delete cascade,
  constraint draft_form check (n between 1 and 9 and length(body) <= 65536 and found >= 0)
);

-- +goose StatementBegin
do $$
declare t text;
begin
  foreach t in array array['briefing', 'draft'] loop
    perform gavel_sys.keep_apart(('netra.' || t)::regclass);
    execute format('grant select, insert on netra.%I to gavel_app', t);
    execute format('grant select, delete on netra.%I to gavel_system', t);
  end loop;
end $$;
-- +goose StatementEnd
grant update (state, worded, run, ended_at) on netra.briefing to gavel_app;
