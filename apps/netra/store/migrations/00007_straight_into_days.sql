-- +goose Up

-- COPY takes no table behind the wall, and everything else that brings rows in is several times as slow. So the part of a day is not
-- behind it and has two walls of its own instead: the role of requests may put rows in, and may neither read nor change any there; and
-- it may not say whose they are, because that is the transaction's organisation. Who reads, or corrects, goes through netra.signal,
-- which is behind the wall as before.

-- put_day gives the part of a day its walls.
-- +goose StatementBegin
create function netra.put_day(t regclass) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('alter table %s alter column org set default nullif(current_setting(''gavel.org'', true), '''')', t);
  execute format('revoke all on %s from gavel_app', t);
  execute format('grant insert (event_id, ts, lgd, severity, class, layers, geo, basis, ref, part, source, source_type, event_type, summary)
    on %s to gavel_app', t);
end $$;

do $$
declare t regclass;
begin
  for t in select c.oid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'netra.signal'::regclass and c.relname ~ '^signal_[0-9]{8}$' loop
    execute format('drop policy own_organisation on %s', t);
    execute format('alter table %s no force row level security', t);
    execute format('alter table %s disable row level security', t);
    perform netra.put_day(t);
  end loop;
end $$;

create or replace function netra.open_days(first date, last date) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set default_tablespace = '' set default_table_access_method = 'heap' as $$
declare d date; t text; n integer := 0; most constant integer := 1000;
begin
  if first is null or last is null or first < '2000-01-01'::date or last > '2199-12-31'::date or last < first then
    raise exception 'no days of signals: % to %', first, last using errcode = 'invalid_parameter_value';
  end if;
  if last - first > 500 then
    raise exception 'too many days at once: % to %', first, last using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(7426125);
  for d in select generate_series(first, last, interval '1 day')::date loop
    t := 'signal_' || to_char(d, 'YYYYMMDD');
    continue when to_regclass('netra.' || t) is not null;
    if (select count(*) from pg_inherits where inhparent = 'netra.signal'::regclass) > most then
      raise exception 'there are more than % days of signals', most using errcode = 'program_limit_exceeded';
    end if;
    -- A row that lies in the part for every other time was counted nowhere; it would keep its day from being opened for everybody.
    truncate netra.signal_rest;
    execute format('create table netra.%I partition of netra.signal for values from (%L) to (%L)', t, d::timestamptz, (d + 1)::timestamptz);
    perform netra.put_day(('netra.' || t)::regclass);
    n := n + 1;
  end loop;
  return n;
end $$;
-- +goose StatementEnd
revoke all on function netra.put_day(regclass) from public;
