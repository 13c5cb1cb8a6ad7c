-- +goose Up

-- What people on a case answered on their own page, each time they did.
create table poolpatrol.answer (
  org         text not null references gavel_sys.organisation,
  id          text not null,
  case_id     text not null,
  employee_id text not null,
  form        text not null,                    -- of the form that was sent: sending it twice is one answer
  held        text not null,                    -- whether what we hold is right
  wish        text not null,                    -- what should happen
  body        text not null default '',         -- personal: their own words
  at          timestamptz not null,
  erased_at   timestamptz,
  primary key (org, id),
  unique (org, case_id, employee_id, form),
  foreign key (org, case_id) references poolpatrol.case (org, id),
  constraint answer_form check (id ~ '^ANS-[0-9A-F]{8}$' and length(form) between 1 and 40 and length(body) <= 2000
    and held in ('right', 'changed', 'unsure') and wish in ('keep', 'left', 'talk') and (erased_at is null or body = ''))
);
create index answer_of_person on poolpatrol.answer (org, employee_id) where erased_at is null;

-- What a provisioning system (SCIM) knows somebody by, and since when. Deleting
-- somebody there makes them inactive here; the record stays.
create table poolpatrol.scim_user (
  org         text not null references gavel_sys.organisation,
  employee_id text not null,
  external_id text not null default '',
  created_at  timestamptz not null,
  deleted_at  timestamptz,
  primary key (org, employee_id),
  foreign key (org, employee_id) references poolpatrol.employee (org, id) on delete cascade,
  constraint scim_user_form check (length(external_id) <= 200)
);
create unique index scim_user_external on poolpatrol.scim_user (org, external_id) where external_id <> '';

select gavel_sys.keep_apart('poolpatrol.answer'::regclass);
select gavel_sys.keep_apart('poolpatrol.scim_user'::regclass);
grant select, insert, update, delete on poolpatrol.scim_user to gavel_app;
grant select, insert on poolpatrol.answer to gavel_app;
grant update (body, erased_at) on poolpatrol.answer to gavel_app;
