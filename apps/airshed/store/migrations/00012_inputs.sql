-- +goose Up

-- In which city a station stands; empty: Delhi, as all of them did.
alter table ref.station add column city text not null default ''
  constraint station_city check (length(city) <= 100);

-- Places that are hot without a field burning, as an organisation imported them: the newest
-- file is the whole list. The file is a snapshot.
create table airshed.static_list (
  org         text not null references gavel_sys.organisation,
  id          text not null,
  data        text not null,
  name        text not null,
  licence     text not null,
  as_of       date not null,         -- the day whose sources it lists
  sites       integer not null,
  imported_by text not null,
  imported_at timestamptz not null,
  primary key (org, id),
  constraint static_list_form check (id ~ '^STA-[0-9A-F]{8}$' and data ~ '^[0-9a-f]{64}$' and length(name) between 1 and 100
    and length(licence) between 1 and 500 and sites > 0)
);
create index static_list_by_time on airshed.static_list (org, imported_at desc, id desc);
select gavel_sys.keep_apart('airshed.static_list');
grant select, insert on airshed.static_list to gavel_app;
