-- +goose Up

-- A call is one that came from outside any run, from a person's or a machine's
-- own program, and that people decide. The row says who asked and with what
-- authority, which the act needs when it is carried out days later. Look-ups and
-- refusals have no row: they are in the log.
create table gavel.call (
  org         text not null,
  id          text not null,
  case_id     text not null,
  app         text not null,
  tool        text not null,
  args_sha256 text not null,   -- as they were asked for; a person may edit them
  by_kind     text not null,
  by_id       text not null,
  roles       text[] not null, -- of a person
  scopes      text[] not null, -- of a machine
  via         text not null,   -- the door it came through
  record      text not null,   -- the log's entry
  at          timestamptz not null,
  primary key (org, id),
  foreign key (org, case_id) references gavel.case (org, id),
  constraint call_form check (
    id ~ '^call_[0-9A-HJKMNP-TV-Z]{26}$'
    and app ~ '^[a-z]{2,20}$' and tool ~ '^[a-z][a-z0-9_]{0,63}$' and args_sha256 ~ '^[0-9a-f]{64}$'
    and by_kind in ('person', 'machine') and length(by_id) between 1 and 200
    and cardinality(roles) <= 20 and cardinality(scopes) <= 50
    and via ~ '^[a-z]{2,20}$' and length(record) between 1 and 60)
);
select gavel_sys.keep_apart('gavel.call');

-- The same call again, and what one of them has asked for lately.
create index call_same on gavel.call (org, case_id, args_sha256);
create index call_by on gavel.call (org, by_id, id);

grant select, insert on gavel.call to gavel_app;
grant select on gavel.call to gavel_system;
