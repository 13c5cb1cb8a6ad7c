-- +goose Up

-- A webhook is an address of somebody else's server that is told what happens. It
-- follows the log: place is the last record it has been told of, or passed over,
-- so that an event is queued because its record was committed with it, and for no
-- other reason. busy_until is real time, everything else the installation's clock.
create table gavel.webhook (
  org          text not null references gavel_sys.organisation,
  id           text collate "C" not null check (id ~ '^hook_[0-9A-HJKMNP-TV-Z]{26}$'),
  url          text not null check (length(url) between 9 and 2000),
  title        text not null check (length(title) between 1 and 120),
  kinds        text[] not null check (cardinality(kinds) between 1 and 40),
  state        text not null check (state in ('on', 'off', 'failed')),
  reason       text not null check (length(reason) <= 2000),
  owner_id     text not null check (length(owner_id) between 1 and 200),
  made_at      timestamptz not null,
  changed_at   timestamptz not null,
  version      bigint not null default 1 check (version > 0),
  place        bigint not null,
  busy_until   timestamptz not null default '-infinity',
  last_ok_at   timestamptz,
  last_fail_at timestamptz,
  primary key (org, id)
);
select gavel_sys.keep_apart('gavel.webhook');
create index webhook_on on gavel.webhook (busy_until) where state = 'on';

-- Secrets are sealed with the payload keys, bound to their webhook. The newest
-- signs without end; the one before it until its window is over.
create table gavel.webhook_secret (
  org     text not null,
  webhook text collate "C" not null,
  n       int not null check (n > 0),
  sealed  text not null check (length(sealed) between 40 and 1000),
  made_at timestamptz not null,
  until   timestamptz,
  primary key (org, webhook, n),
  foreign key (org, webhook) references gavel.webhook on delete cascade
);
select gavel_sys.keep_apart('gavel.webhook_secret');

-- A message is one event on its way to one webhook. Its id is the record's, so
-- that following the log twice queues it once, and it is the same however often it
-- is sent. tries counts those of the schedule, attempts all of them.
create table gavel.webhook_message (
  org         text not null,
  webhook     text collate "C" not null,
  id          text collate "C" not null check (id ~ '^msg_[0-9A-HJKMNP-TV-Z]{26}$'),
  kind        text not null check (length(kind) between 2 and 40),
  subject     text not null check (length(subject) between 1 and 200),
  at          timestamptz not null,
  queued_at   timestamptz not null,
  due_at      timestamptz not null,
  state       text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed', 'dropped')),
  tries       int not null default 0 check (tries >= 0),
  attempts    int not null default 0 check (attempts >= 0),
  asked_by    text not null default '' check (length(asked_by) <= 200),
  first_at    timestamptz,
  ended_at    timestamptz,
  primary key (org, webhook, id),
  foreign key (org, webhook) references gavel.webhook on delete cascade
);
select gavel_sys.keep_apart('gavel.webhook_message');
create index webhook_message_due on gavel.webhook_message (org, webhook, due_at) where state = 'waiting';
create index webhook_message_newest on gavel.webhook_message (org, webhook, queued_at desc, id desc);

-- What came of each try. The answer is somebody else's text: bounded, and blanked
-- whenever anybody is erased.
create table gavel.webhook_attempt (
  org     text not null,
  webhook text collate "C" not null,
  message text collate "C" not null,
  n       int not null check (n > 0),
  at      timestamptz not null,
  took_ms int not null check (took_ms >= 0),
  status  int not null check (status between 0 and 999),
  fault   text not null check (length(fault) <= 40),
  answer  text not null check (length(answer) <= 1024),
  by_id   text not null check (length(by_id) <= 200),
  primary key (org, webhook, message, n),
  foreign key (org, webhook, message) references gavel.webhook_message on delete cascade
);
select gavel_sys.keep_apart('gavel.webhook_attempt');

grant select, insert, update, delete on gavel.webhook, gavel.webhook_secret to gavel_app;
grant select, insert, update on gavel.webhook_message to gavel_app;
grant select, insert, update (answer) on gavel.webhook_attempt to gavel_app;
grant select, update (place, busy_until) on gavel.webhook to gavel_system;
grant select, insert, delete on gavel.webhook_message to gavel_system;
