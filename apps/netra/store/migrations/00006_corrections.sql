-- +goose Up

-- What a district said is wrong with a signal, what an officer decided, and what came of it. The signal itself stays, so that a feed that is
-- sent again does not bring it back: one that is not to count stands under no district, 0. Scores that were given out stay as they were.
create table netra.correction (
  org        text not null references gavel_sys.organisation,
  id         text not null,
  lgd        integer not null,
  event_id   text not null,
  at         timestamptz not null,          -- of the signal
  kind       text not null,                 -- wrong, a duplicate of another, or of another district
  other      text not null default '',      -- the event that it is a duplicate of
  to_lgd     integer,
  reason     text not null,
  case_id    text not null,
  filed_by   text not null,
  filed_role text not null,                 -- in which it was filed
  filed_at   timestamptz not null,
  state      text not null default 'filed',
  act        text not null default '',
  by_id      text not null default '',
  why        text not null default '',
  decided_at timestamptz,
  recomputed jsonb not null default '[]',   -- scores before and after
  primary key (org, id),
  unique (org, case_id),
  constraint correction_form check (id ~ '^NCO-[0-9A-F]{8}$' and lgd between 1 and 999999 and kind in ('wrong', 'duplicate', 'district')
    and (kind = 'duplicate') = (other <> '') and (kind = 'district') = (to_lgd is not null) and to_lgd between 1 and 999999
    and length(reason) between 1 and 2000 and length(why) <= 2000 and state in ('filed', 'accepted', 'refused')
    and (state = 'filed') = (decided_at is null))
);
create unique index correction_open on netra.correction (org, event_id, at) where state = 'filed';
create index correction_by_time on netra.correction (org, filed_at desc, id desc);
create index correction_by_district on netra.correction (org, lgd, filed_at desc);
select gavel_sys.keep_apart('netra.correction');
grant select, insert on netra.correction to gavel_app;
grant update (state, act, by_id, why, decided_at, recomputed) on netra.correction to gavel_app;
grant select on netra.correction to gavel_system;
grant update (lgd, geo) on netra.signal to gavel_app;
grant delete on netra.hour to gavel_app;
