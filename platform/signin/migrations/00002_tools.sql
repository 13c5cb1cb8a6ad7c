-- +goose Up

-- A sign-in for tools: a program that reads and proposes in a person's name, and
-- decides nothing. It is begun in a sign-in of theirs and ends with it.
alter table gavel.session add column parent text;
alter table gavel.session add constraint session_parent foreign key (org, parent) references gavel.session (org, id) on delete cascade;
create index session_tools on gavel.session (org, parent) where parent is not null;

alter table gavel.session drop constraint session_form;
alter table gavel.session add constraint session_form check (
  id ~ '^ses_[0-9A-HJKMNP-TV-Z]{26}$' and length(secret_sha256) = 32 and kind in ('browser', 'terminal', 'shift', 'tools')
  and cardinality(roles) between 1 and 20 and cardinality(orgs) <= 20 and length(label) <= 100
  and (kind = 'shift') = (device is not null) and (kind = 'tools') = (parent is not null)
  and (viewing = '' or kind = 'browser') and ends_at > began_at);
