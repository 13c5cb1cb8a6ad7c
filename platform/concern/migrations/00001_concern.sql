-- +goose Up

-- A link lets the person whom a case concerns read what was decided, without an
-- account. The secret is in the link and here only as a digest. facts and
-- proposals are what the link shows, chosen by who made it; summary is in that
-- officer's words, for that person.
create table gavel.concern_link (
  org           text not null references gavel_sys.organisation,
  id            text not null,
  case_id       text not null,
  secret_sha256 bytea not null,
  summary       text not null,
  facts         text[] not null,
  proposals     text[] not null,
  made_by       text not null,
  made_at       timestamptz not null,
  expires_at    timestamptz not null,
  revoked_at    timestamptz,
  revoked_by    text not null default '',
  erased_at     timestamptz,
  primary key (org, id),
  foreign key (org, case_id) references gavel.case (org, id),
  constraint concern_link_form check (
    id ~ '^link_[0-9A-HJKMNP-TV-Z]{26}$' and length(secret_sha256) = 32 and length(summary) <= 4000
    and cardinality(facts) <= 100 and cardinality(proposals) <= 50 and length(made_by) between 1 and 200 and expires_at > made_at
    and (revoked_at is null) = (revoked_by = '') and (summary = '') = (erased_at is not null))
);
select gavel_sys.keep_apart('gavel.concern_link');
create index concern_link_of_case on gavel.concern_link (org, case_id, id desc);

-- An objection is what that person answers. A link bears one at a time: the next
-- comes after an answer. case_id is the case that hears it, which is another than
-- the link's where that one was closed.
create table gavel.objection (
  org         text not null,
  id          text not null,
  link        text not null,
  case_id     text not null,
  body        text not null,
  at          timestamptz not null,
  answer      text not null default '',
  answered_at timestamptz,
  answered_by text not null default '',
  erased_at   timestamptz,
  primary key (org, id),
  foreign key (org, link) references gavel.concern_link (org, id),
  foreign key (org, case_id) references gavel.case (org, id),
  constraint objection_form check (
    id ~ '^obj_[0-9A-HJKMNP-TV-Z]{26}$' and length(body) <= 4000 and length(answer) <= 4000
    and (answered_at is null) = (answered_by = '') and (body = '') = (erased_at is not null)
    and (answer = '') = (answered_at is null or erased_at is not null))
);
select gavel_sys.keep_apart('gavel.objection');
create unique index objection_one_at_a_time on gavel.objection (org, link) where answered_at is null and erased_at is null;
create index objection_of_case on gavel.objection (org, case_id, id desc);

-- What was said stays; a link can be revoked, an objection answered once, and
-- either erased.
-- +goose StatementBegin
create function gavel.concern_stays() returns trigger language plpgsql as $$
declare
  may_go text[];
begin
  if tg_op = 'UPDATE' and tg_table_name = 'concern_link' then
    may_go := '{revoked_at,revoked_by,summary,erased_at}';
    if to_jsonb(new) - may_go = to_jsonb(old) - may_go
       and (new.summary = old.summary and new.erased_at is not distinct from old.erased_at or old.erased_at is null and new.erased_at is not null and new.summary = '')
       and (old.revoked_at is null or (new.revoked_at, new.revoked_by) is not distinct from (old.revoked_at, old.revoked_by)) then
      return new;
    end if;
  elsif tg_op = 'UPDATE' then
    may_go := '{body,answer,answered_at,answered_by,erased_at}';
    if to_jsonb(new) - may_go = to_jsonb(old) - may_go
       and (old.erased_at is null and new.erased_at is not null and new.body = '' and new.answer = ''
            and (new.answered_at, new.answered_by) is not distinct from (old.answered_at, old.answered_by)
            or new.body = old.body and new.erased_at is null and old.answered_at is null and new.answered_at is not null) then
      return new;
    end if;
  end if;
  raise exception 'what was said to and by the person concerned stays as it is' using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd
create trigger concern_link_stays before update or delete on gavel.concern_link
  for each row execute function gavel.concern_stays();
create trigger objection_stays before update or delete on gavel.objection
  for each row execute function gavel.concern_stays();

grant select, insert on gavel.concern_link, gavel.objection to gavel_app;
grant update (revoked_at, revoked_by, summary, erased_at) on gavel.concern_link to gavel_app;
grant update (body, answer, answered_at, answered_by, erased_at) on gavel.objection to gavel_app;
grant select on gavel.concern_link, gavel.objection to gavel_system;
