-- +goose Up

-- After a restore everything that goes outside is held by a pause of its own, which
-- only who runs the installation ends: gavel recover.
alter table gavel.pause drop constraint pause_scope_check;
alter table gavel.pause add constraint pause_scope_check
  check (scope ~ '^(all|outside|recovery|app:[a-z]{2,20}|agent:[A-Za-z0-9._:/@+-]{1,190})$');

-- A case is in doubt when it may do again what it did in the time that a restore
-- lost: its acts since then had, perhaps, other keys. Whatever it sends is asked
-- about first, until somebody has looked and frees it.
create table gavel.doubt (
  org     text not null,
  case_id text not null,
  since   timestamptz not null, -- the installation's clock: acts planned from then on are meant
  primary key (org, case_id),
  foreign key (org, case_id) references gavel.case (org, id)
);
select gavel_sys.keep_apart('gavel.doubt');
grant select on gavel.doubt to gavel_app;
grant select, insert, update, delete on gavel.doubt to gavel_system;

-- A recovery is one transaction over all organisations.
grant update (state, fence, lease_until, reason) on gavel.act to gavel_system;
grant insert, delete on gavel.pause to gavel_system;
grant insert on gavel.past_pause to gavel_system;
