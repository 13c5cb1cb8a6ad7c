-- +goose Up

-- How a reply was read: what a model said, and what code made of it. The words of
-- the reply are in the case's history.
create table poolpatrol.reading (
  org         text not null references gavel_sys.organisation,
  case_id     text not null,
  key         text not null,                    -- of the reply
  employee_id text not null,
  run_id      text not null,                    -- the model's; empty where none was asked, or none answered
  said        jsonb,                            -- what it said; null where it said nothing of use
  bucket      text not null,
  sub_label   text not null,
  why         text not null,                    -- that bucket
  no_draft    boolean not null,                 -- a person answers from an empty page
  at          timestamptz not null,
  primary key (org, case_id, key),
  foreign key (org, case_id) references poolpatrol.case (org, id),
  constraint reading_form check (length(key) between 1 and 200 and bucket in ('acknowledgment', 'question', 'update', 'escalation')
    and length(sub_label) <= 40 and length(why) between 1 and 40 and pg_column_size(said) <= 4096)
);

-- What a specialist said of an audit, beside what code had found: in how much it was
-- not followed. Its words are in the case's history, where they were fit to be kept.
create table poolpatrol.heeding (
  org        text not null references gavel_sys.organisation,
  case_id    text not null,
  audit_run  text not null,
  check_name text not null,
  run_id     text not null,
  computed   smallint not null,                 -- confidence
  confidence smallint not null,                 -- as heeded: never higher
  overrides  jsonb not null,
  at         timestamptz not null,
  primary key (org, case_id, audit_run, check_name),
  foreign key (org, case_id) references poolpatrol.case (org, id),
  constraint heeding_form check (confidence between 1 and computed and computed <= 5 and jsonb_typeof(overrides) = 'array' and pg_column_size(overrides) <= 16384)
);

-- +goose StatementBegin
do $$
declare t text;
begin
  foreach t in array array['reading','heeding'] loop
    perform gavel_sys.keep_apart(('poolpatrol.' || t)::regclass);
    execute format('grant select, insert on poolpatrol.%I to gavel_app', t);
  end loop;
end $$;
-- +goose StatementEnd
grant update (said, sub_label, why, no_draft) on poolpatrol.reading to gavel_app; -- an erasure takes them
