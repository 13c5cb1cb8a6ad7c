-- +goose Up

-- Which sources were heard of a district on a day stands in the row of its sums of each signal once: who counts signals there writes that
-- row anyway, and a row for each source was as much work as the signals themselves. 16 bytes for each source, in their order: the
-- first 8 of the MD5 of its name, and in which second of the day it was heard first and last. netra.heard is not used any more; it
-- stays as long as the program of before may run beside this one, and what is in it goes when it was kept its time.
alter table netra.day add column heard bytea not null default '';
alter table netra.day alter column heard set storage external;
grant update (heard) on netra.day to gavel_app;

-- +goose StatementBegin
do $$
declare o text;
begin
  for o in select org from gavel_sys.organisation loop
    perform set_config('gavel.org', o, true);
    update netra.day d set heard = h.heard from (
      select day, lgd, string_agg(name || int4send(first) || int4send(last), '' order by name) as heard from (
        select day, lgd, decode(substr(md5(source), 1, 16), 'hex') as name,
          floor(extract(epoch from first_at - day::timestamp at time zone 'UTC'))::integer as first,
          floor(extract(epoch from last_at - day::timestamp at time zone 'UTC'))::integer as last
        from netra.heard) s
      group by day, lgd) h
    where d.day = h.day and d.lgd = h.lgd and d.layer = 0;
  end loop;
end $$;
-- +goose StatementEnd
