-- +goose Up

-- How somebody with an account wants to be told by mail: at once, once a day, or
-- not. What is not said goes by the kind's usual way.
create table gavel.notice_wish (
  org    text not null references gavel_sys.organisation,
  person text not null,
  kind   text not null,
  way    text not null,
  primary key (org, person, kind),
  constraint notice_wish_form check (length(person) between 1 and 200 and kind ~ '^[a-z][a-z_]{1,39}$' and way in ('now', 'digest', 'off'))
);
select gavel_sys.keep_apart('gavel.notice_wish');

-- When they want to be told. Times are minutes after midnight in the
-- organisation's zone; quiet hours may go over midnight, and are none where both
-- ends are the same.
create table gavel.notice_hours (
  org        text not null references gavel_sys.organisation,
  person     text not null,
  quiet_from int not null,
  quiet_to   int not null,
  digest_at  int not null,
  only_mine  boolean not null, -- not what goes to everybody in a role
  language   text not null,    -- empty: the organisation's first
  primary key (org, person),
  constraint notice_hours_form check (length(person) between 1 and 200 and quiet_from between 0 and 1439 and quiet_to between 0 and 1439
    and digest_at between 0 and 1439 and length(language) <= 10)
);
select gavel_sys.keep_apart('gavel.notice_hours');

-- A notice that somebody is to be told by mail, and when. It is made with the
-- notice, and the mail with its being told: each happens once.
create table gavel.notice_due (
  org      text not null,
  notice   text not null,
  person   text not null,
  way      text not null,
  due_at   timestamptz not null, -- the installation's clock, as told_at
  told_at  timestamptz,
  mail     text not null default '', -- empty where they had no address by then
  primary key (org, notice, person),
  foreign key (org, notice) references gavel.notice (org, key),
  constraint notice_due_form check (length(person) between 1 and 200 and way in ('now', 'digest') and length(mail) <= 40)
);
select gavel_sys.keep_apart('gavel.notice_due');
create index notice_due_open on gavel.notice_due (due_at) where told_at is null;

grant select, insert, update, delete on gavel.notice_wish, gavel.notice_hours to gavel_app;
grant select, insert on gavel.notice_due to gavel_app;
grant update (told_at, mail, due_at) on gavel.notice_due to gavel_app;
grant select on gavel.notice_wish, gavel.notice_hours, gavel.notice_due to gavel_system;
