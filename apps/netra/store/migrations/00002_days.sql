-- +goose Up

-- The two functions that run with the owner's rights, as a stranger would misuse them. They read no organisation's rows and name
-- no table that a caller chose. What a caller could do was to ask for days without end or before our era, two of which would share a
-- name; to have the parts made where a setting of the caller's says; to put a row where it keeps a day from being opened; and to close
-- every day there is with one wrong date. They are bounded here, by the calendar and by how many parts there may be. An
-- installation's clock may run ahead of the database's, so that neither goes by the latter alone.

-- open_days makes the parts of the table of signals from one day to another. Requests may not make tables; this
-- they may, and nothing else with it.
-- +goose StatementBegin
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
    perform gavel_sys.keep_apart(('netra.' || t)::regclass);
    execute format('grant select, insert on netra.%I to gavel_app', t);
    n := n + 1;
  end loop;
  return n;
end $$;

-- close_days drops the parts that end by a day, and says about how many signals went with them. No clock of ours runs a year
-- ahead, and signals are kept for 400 days: a day of the last month is a slip.
create or replace function netra.close_days(before date) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD' as $$
declare t record; n bigint := 0;
begin
  if before is null or before > current_date - 30 then
    raise exception 'days of signals are not closed before %', before using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(7426125);
  for t in select c.relname, greatest(c.reltuples, 0)::bigint as rows from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'netra.signal'::regclass and c.relname ~ '^signal_[0-9]{8}$'
        and to_date(right(c.relname, 8), 'YYYYMMDD') < before loop
    execute format('drop table netra.%I', t.relname);
    n := n + t.rows;
  end loop;
  return n;
end $$;
-- +goose StatementEnd
