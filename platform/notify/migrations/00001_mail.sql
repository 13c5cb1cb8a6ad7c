-- +goose Up

-- A mail is a row before it is sent, with its own Message-ID: what comes back can
-- be matched, and what may have arrived can be asked about. Whom it goes to and
-- what it says is sealed for the person it concerns; the row itself names nobody.
--
-- A mail with a case is an act as well, under its own id, and what is promised of
-- acts is promised of it. One without a case tells our own staff something.
create table gavel.mail (
  org          text not null references gavel_sys.organisation,
  id           text not null,
  key          text not null,             -- the sender's own name for it: the same one twice is one mail
  case_id      text,
  kind         text not null,
  recipient    text not null,             -- the opaque id under which they are erased, "rider:R-7"
  thread       text not null,
  message_id   text not null,             -- without brackets
  reply_to     text not null,             -- empty where nobody could read an answer
  in_reply_to  text not null,
  refs         text[] not null,
  language     text not null,
  automatic    boolean not null,          -- nobody approved this one by itself
  because      text not null,             -- the id of what authorised it
  sealed       bytea not null,
  args_sha256  text not null,             -- of the act's arguments, which hold the digest of what is sealed
  state        text not null default 'queued',
  tries        int not null default 0,    -- counts the claims; only the last may finish
  reason       text not null default '',  -- why it is where it is; may hold the mail server's words
  queued_at    timestamptz not null,      -- the installation's clock
  ended_at     timestamptz,
  first_try_at timestamptz,               -- the database's own clock from here on: about processes, not about dates
  last_try_at  timestamptz,
  due_at       timestamptz not null default clock_timestamp(),
  erased_at    timestamptz,
  primary key (org, id),
  constraint mail_once unique (org, key),
  foreign key (org, case_id) references gavel.case (org, id),
  constraint mail_form check (
    id ~ '^mail_[0-9A-HJKMNP-TV-Z]{26}$' and length(key) between 1 and 200 and kind ~ '^[a-z][a-z_]{1,39}$'
    and recipient ~ '^[a-z][a-z_]{1,29}:.' and length(recipient) <= 160 and length(thread) <= 200
    and length(message_id) between 10 and 320 and length(reply_to) <= 320 and length(in_reply_to) <= 320 and cardinality(refs) <= 20
    and language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$' and length(because) between 1 and 400
    and length(sealed) <= 1048576 and args_sha256 ~ '^[0-9a-f]{64}$' and length(reason) <= 2000),
  constraint mail_state check (
    state in ('queued', 'sending', 'sent', 'undeliverable', 'unknown')
    and (state in ('sent', 'undeliverable', 'unknown')) = (ended_at is not null)
    and (state = 'queued' or tries > 0))
);
select gavel_sys.keep_apart('gavel.mail');
create unique index mail_message_id on gavel.mail (message_id);
create index mail_of_case on gavel.mail (org, case_id, queued_at);
create index mail_of_recipient on gavel.mail (org, recipient);
create index mail_due on gavel.mail (due_at) where state in ('queued', 'sending');

-- What was queued stays as it was queued, and what has ended as it ended, but for
-- an erasure, which takes the server's words and the ids of the reader's own mails.
-- +goose StatementBegin
create function gavel.mail_stays() returns trigger language plpgsql as $$
declare
  may_go constant text[] := '{state,tries,reason,ended_at,first_try_at,last_try_at,due_at,erased_at,in_reply_to,refs}';
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - may_go = to_jsonb(old) - may_go and new.tries >= old.tries
       and ((new.in_reply_to, new.refs) is not distinct from (old.in_reply_to, old.refs) or (new.in_reply_to, cardinality(new.refs)) = ('', 0) and new.erased_at is not null) and (
       old.ended_at is null
       or (new.state, new.tries, new.ended_at) is not distinct from (old.state, old.tries, old.ended_at)
          and (new.reason = old.reason or new.reason = '' and new.erased_at is not null)) then
    return new;
  end if;
  raise exception 'mail % stays as it is', old.id using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd
create trigger mail_stays before update or delete on gavel.mail for each row execute function gavel.mail_stays();

grant select on gavel.mail to gavel_app, gavel_system;
-- Without state and outcome: a mail begins queued.
grant insert (org, id, key, case_id, kind, recipient, thread, message_id, reply_to, in_reply_to, refs, language, automatic, because,
  sealed, args_sha256, queued_at) on gavel.mail to gavel_app;
grant update (state, reason, ended_at, due_at, erased_at, first_try_at, in_reply_to, refs) on gavel.mail to gavel_app;
grant update (state, tries, first_try_at, last_try_at, due_at) on gavel.mail to gavel_system;

-- An inbound mail does not say whose it is. Here its organisation is found by the
-- address it came to, or by the id of the message it answers:
--   'reply:' and the local part of a reply address, in small letters
--   'id:' and a message id without brackets
-- A row is written with the mail that made it. It can be added by who acts for the
-- organisation and read by the system alone.
create table gavel_sys.mail_routes (
  key     text primary key check (key ~ '^(reply|id):.' and length(key) <= 400),
  org     text not null references gavel_sys.organisation,
  case_id text not null check (length(case_id) between 1 and 60)
);
alter table gavel_sys.mail_routes enable row level security;
alter table gavel_sys.mail_routes force row level security;
create policy own_organisation on gavel_sys.mail_routes for insert with check (org = current_setting('gavel.org', true));
grant insert on gavel_sys.mail_routes to gavel_app;
grant select on gavel_sys.mail_routes to gavel_system;
