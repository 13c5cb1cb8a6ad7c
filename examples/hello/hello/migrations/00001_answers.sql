-- +goose Up

-- What was answered. An answer is given once, and never changed.
create schema hello;
grant usage on schema hello to gavel_app, gavel_system;

create table hello.answer (
  org      text not null references gavel_sys.organisation,
  case_id  text not null,
  body     text not null,
  given_at timestamptz not null,
  primary key (org, case_id),
  constraint answer_form check (length(body) between 1 and 4000)
);
grant select, insert on hello.answer to gavel_app;
select gavel_sys.keep_apart('hello.answer');
