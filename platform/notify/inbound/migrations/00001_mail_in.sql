-- +goose Up

-- A mail that came in. Who wrote it and what it says is sealed for whom it
-- concerns: 'sealed' holds sender, recipients, subject, text and the names of
-- attachments, the blob raw_sha256 the mail as it came. The row itself says what
-- code found and what a person decided.
create table gavel.mail_in (
  org         text not null references gavel_sys.organisation,
  id          text not null,
  state       text not null,
  reason      text not null,             -- why it was not simply accepted
  kind        text not null,             -- who or what it is from, by its form
  match       text not null,             -- by what it was matched; empty: to no case
  case_id     text,
  sender      text not null,             -- the opaque id of whom it is from, "rider:R-7"; empty for a stranger
  message_id  text not null,             -- as its sender's program made it, without brackets; for threads
  via         text not null,
  sealed      bytea not null,
  raw_sha256  text not null,             -- of the sealed blob
  raw_size    bigint not null,           -- of the mail itself, in bytes
  files       jsonb not null,            -- attachments in order: [{type, size, sha256}], the digest once they are evidence
  received_at timestamptz not null,
  decided_at  timestamptz,
  decided_by  text not null default '',
  note        text not null default '',  -- why a person decided so
  erased_at   timestamptz,
  primary key (org, id),
  foreign key (org, case_id) references gavel.case (org, id),
  constraint mail_in_form check (
    id ~ '^min_[0-9A-HJKMNP-TV-Z]{26}$' and reason ~ '^[a-z_]{0,30}$' and kind ~ '^[a-z_]{2,20}$' and match in ('', 'token', 'id', 'tag')
    and length(sender) <= 160 and length(message_id) <= 400 and via ~ '^[a-z]{2,20}$' and length(sealed) <= 2097152
    and raw_sha256 ~ '^[0-9a-f]{64}$' and raw_size >= 0 and jsonb_array_length(files) <= 20
    and length(decided_by) <= 200 and length(note) <= 2000),
  constraint mail_in_state check (
    state in ('accepted', 'held', 'quarantined', 'dropped', 'discarded')
    and (decided_at is null) = (decided_by = '')
    and (state not in ('held', 'quarantined') or decided_at is null)
    and (state <> 'discarded' or decided_at is not null)
    and (state not in ('accepted', 'held') or case_id is not null))
);
select gavel_sys.keep_apart('gavel.mail_in');
create index mail_in_waiting on gavel.mail_in (org, id) where state in ('held', 'quarantined');
create index mail_in_of_case on gavel.mail_in (org, case_id, id);
create index mail_in_of_sender on gavel.mail_in (org, sender, received_at);

-- What came in stays. A person may decide once what becomes of it; an erasure
-- takes what could still name somebody.
-- +goose StatementBegin
create function gavel.mail_in_stays() returns trigger language plpgsql as $$
declare
  may_go constant text[] := '{state,case_id,files,decided_at,decided_by,note,message_id,erased_at}';
begin
  if tg_op = 'UPDATE' and to_jsonb(new) - may_go = to_jsonb(old) - may_go
     and (new.message_id = old.message_id or new.message_id = '' and new.erased_at is not null)
     and (old.erased_at is null or new.erased_at = old.erased_at)
     and ((new.state, new.case_id, new.files, new.decided_at, new.decided_by) is not distinct from (old.state, old.case_id, old.files, old.decided_at, old.decided_by)
          and (new.note = old.note or new.note = '' and new.erased_at is not null)
       or old.decided_at is null and new.decided_at is not null and old.state in ('held', 'quarantined', 'dropped')
          and new.state in ('accepted', 'discarded')) then
    return new;
  end if;
  raise exception 'mail % stays as it is', old.id using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd
create trigger mail_in_stays before update or delete on gavel.mail_in for each row execute function gavel.mail_in_stays();

grant select, insert on gavel.mail_in to gavel_app;
grant update (state, case_id, files, decided_at, decided_by, note, message_id, erased_at) on gavel.mail_in to gavel_app;
grant select on gavel.mail_in to gavel_system;

-- What has come in before, for the whole installation: until it was read nobody
-- knows whose a mail is. The keys are digests, so that they name nobody:
--   'delivery:' of the way it came and the other side's own name for it
--   'mail:'     of its id and what it says
--   'id:'       of its id alone: a second mail under one id is not believed
create table gavel_sys.mail_seen (
  key text primary key check (key ~ '^(delivery|mail|id):[0-9a-f]{64}$'),
  org text not null references gavel_sys.organisation,
  at  timestamptz not null
);
alter table gavel_sys.mail_seen enable row level security;
alter table gavel_sys.mail_seen force row level security;
create policy own_organisation on gavel_sys.mail_seen for insert with check (org = current_setting('gavel.org', true));
grant insert on gavel_sys.mail_seen to gavel_app;
grant select on gavel_sys.mail_seen to gavel_system;
