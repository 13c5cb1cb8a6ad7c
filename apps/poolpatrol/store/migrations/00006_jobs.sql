-- +goose Up

-- Passes over many vans are jobs of the platform from here on: what began before has its
-- row there too, so that its key is known and who asks while it runs is given it. Of several
-- that ran at once the newest counts.
-- +goose StatementBegin
do $$
declare o text;
begin
  for o in select org from gavel_sys.organisation loop
    perform set_config('gavel.org', o, true);
    insert into gavel.job (org, kind, id, key, about, asked_by, state, reason, done, total, began_at, ended_at)
      select org, 'poolpatrol.pass', id, key, case when n = 1 then about else id end, asked_by, state,
        case when state = 'refused' and reason = '' then 'it was refused' else reason end, verified + failed + errored, planned, began_at, ended_at
      from (select *, row_number() over (partition by state, about order by began_at desc, id) n
        from (select *, case kind when 'daily' then 'open_cases' else 'every_van' end about from poolpatrol.pass where kind <> 're_audit') p) q
      on conflict do nothing;
  end loop;
end $$;
-- +goose StatementEnd
