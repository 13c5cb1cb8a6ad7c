-- +goose Up

-- A filter of the inbox that a person gave a name.
create table gavel.inbox_view (
  org      text not null references gavel_sys.organisation,
  actor_id text not null,
  id       text not null,
  name     text not null,
  query    text not null,
  made_at  timestamptz not null,
  primary key (org, actor_id, id),
  constraint inbox_view_name unique (org, actor_id, name),
  constraint inbox_view_form check (
    length(actor_id) between 1 and 200 and id ~ '^view_[0-9A-HJKMNP-TV-Z]{26}$' and length(name) between 1 and 60
    and length(query) <= 300 and query ~ '^[A-Za-z0-9_=&%.+-]*$')
);
select gavel_sys.keep_apart('gavel.inbox_view');
grant select, insert, delete on gavel.inbox_view to gavel_app;
grant update (query, made_at) on gavel.inbox_view to gavel_app;
