-- +goose Up

-- A form that is sent twice makes one pass: form is what it says it is, and of somebody's own.
alter table gatepass.pass add column form text not null default '' check (length(form) <= 80);
create unique index pass_form_once on gatepass.pass (org, created_by, form) where form <> '';

-- Who is to be called out when a site is cleared, and what a day's board shows.
create index pass_site on gatepass.pass (org, site_id, status) where deleted_at is null;
