-- +goose Up

-- Scans and ingests are jobs of the platform from here on: what began before has its row
-- there too, so that its key is known and who asks while it runs is given it. Of several of
-- one object that ran at once the newest counts.
-- +goose StatementBegin
do $$
declare o text;
begin
  for o in select org from gavel_sys.organisation loop
    perform set_config('gavel.org', o, true);
    insert into gavel.job (org, kind, id, key, about, asked_by, state, reason, began_at, ended_at)
      select org, kind, id, key, case when n = 1 then about else id end, asked_by, state,
        case when state = 'refused' and reason = '' then 'it was refused' else reason end, began_at, ended_at
      from (select *, row_number() over (partition by kind, state, about order by began_at desc, id) n from (
        select org, 'airshed.scan' kind, id, key, asked_by, state, reason, began_at, ended_at,
          case when kind in ('event', 'handed') then key else 'object:' || object end about from airshed.scan
        union all
        select org, 'airshed.ingest', id, key, asked_by, state, reason, began_at, ended_at, '' from airshed.ingest) p) q
      on conflict do nothing;
  end loop;
end $$;
-- +goose StatementEnd
