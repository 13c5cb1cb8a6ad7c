-- +goose Up

-- An operation is work that takes longer than a request: how far it is, and what
-- came of it, for an hour. A server works on it and says so every few seconds; one
-- whose lease has run out has lost its server. result may name people, and goes
-- with the row, or when anybody is erased.
create table gavel.operation (
  org         text not null,
  id          text not null,
  kind        text not null,
  subject     text not null,          -- what it is about: a case, a run
  actor_id    text not null,          -- who asked for it, and alone is shown its result
  state       text not null default 'running',
  progress    int not null default 0, -- per cent
  cancel      boolean not null default false,
  lease_until timestamptz not null,
  result      text,                   -- JSON
  error_code  text not null default '',
  error_text  text not null default '',
  error_next  text not null default '',
  file_name   text not null default '', -- where it made a file
  file_type   text not null default '',
  file_size   bigint not null default 0,
  file_sha256 text not null default '',
  started_at  timestamptz not null,   -- on the installation's clock
  ended_at    timestamptz,
  erased      boolean not null default false, -- what came of it was taken away
  keep_until  timestamptz not null,   -- on the wall's
  primary key (org, id),
  constraint operation_form check (
    id ~ '^op_[0-9A-HJKMNP-TV-Z]{26}$' and kind ~ '^[a-z][a-z_]{1,39}$' and length(subject) between 1 and 200
    and length(actor_id) between 1 and 200 and progress between 0 and 100 and length(result) <= 1048576
    and length(error_code) <= 40 and length(error_text) <= 2000 and length(error_next) <= 500
    and length(file_name) <= 120 and length(file_type) <= 60 and file_size between 0 and 67108864
    and file_sha256 ~ '^([0-9a-f]{64})?$'
    and state in ('running', 'done', 'failed', 'cancelled') and (state = 'running') = (ended_at is null)
    and (state <> 'failed' or error_code <> ''))
);
select gavel_sys.keep_apart('gavel.operation');
create index operation_of on gavel.operation (org, actor_id, id);

-- The file that an operation made, in pieces, for as long as its row is there.
create table gavel.operation_piece (
  org       text not null,
  operation text not null,
  n         int not null check (n >= 0),
  bytes     bytea not null check (length(bytes) between 1 and 1048576),
  primary key (org, operation, n),
  foreign key (org, operation) references gavel.operation (org, id) on delete cascade
);
select gavel_sys.keep_apart('gavel.operation_piece');
alter table gavel.operation_piece alter column bytes set storage external;

grant select, insert, update on gavel.operation to gavel_app;
grant select, delete on gavel.operation to gavel_system;
grant select, insert, delete on gavel.operation_piece to gavel_app;
grant select, delete on gavel.operation_piece to gavel_system;
