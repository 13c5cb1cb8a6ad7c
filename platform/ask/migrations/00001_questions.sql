-- +goose Up

-- A question that somebody asked about a case, and what was said to it. said is
-- JSON: what was looked up, and the lines. Both go when whom the case is about is
-- erased.
create table gavel.question (
  org        text not null,
  id         text not null,
  case_id    text not null,
  actor_id   text not null,
  actor_name text not null,
  at         timestamptz not null,
  question   text not null,
  said       text not null,
  how        text not null,
  model      text not null,
  refused    boolean not null, -- a model worded it, and its words did not pass
  erased_at  timestamptz,
  primary key (org, id),
  foreign key (org, case_id) references gavel.case (org, id),
  constraint question_form check (
    id ~ '^ask_[0-9A-HJKMNP-TV-Z]{26}$' and length(actor_id) between 1 and 200 and length(actor_name) <= 200
    and length(question) <= 500 and length(said) <= 65536 and how in ('ours', 'worded') and length(model) <= 200
    and (question = '' and said = '') = (erased_at is not null))
);
select gavel_sys.keep_apart('gavel.question');
create index question_of_case on gavel.question (org, case_id, id);
create index question_of_actor on gavel.question (org, actor_id, at);

grant select, insert on gavel.question to gavel_app;
grant update (question, said, actor_name, erased_at) on gavel.question to gavel_app;
grant select on gavel.question to gavel_system;
