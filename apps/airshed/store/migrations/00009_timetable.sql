-- +goose Up

-- When the lake is looked at by itself is a timetable of the platform from here on. The table
-- airshed.watch stays for servers of the version before, which still serve.
-- +goose StatementBegin
do $$
declare o text;
begin
  for o in select org from gavel_sys.organisation loop
    perform set_config('gavel.org', o, true);
    insert into gavel.timetable (org, kind, version, set_by, set_at) select org, 'airshed/watch', version, set_by, set_at from airshed.watch;
    insert into gavel.timetable_slot (org, kind, name, on_plan, each, hours, day, hour, next_at, last, note, noted_at, owed)
      select org, 'airshed/watch', 'scan', not paused, 'hours', 6, 0, 0, next_at, last_scan,
        case when left_out_at is null then '' else 'running' end, left_out_at, false from airshed.watch;
  end loop;
end $$;
-- +goose StatementEnd
