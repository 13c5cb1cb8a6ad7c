-- +goose Up

-- When passes begin by themselves is a timetable of the platform from here on. The table
-- poolpatrol.schedule stays for servers of the version before, which still serve.
-- +goose StatementBegin
do $$
declare o text;
begin
  for o in select org from gavel_sys.organisation loop
    perform set_config('gavel.org', o, true);
    insert into gavel.timetable (org, kind, version, set_by, set_at)
      select org, 'poolpatrol/calendar:passes', version, set_by, set_at from poolpatrol.schedule;
    insert into gavel.timetable_slot (org, kind, name, on_plan, each, hours, day, hour, next_at, last, note, noted_at, owed)
      select s.org, 'poolpatrol/calendar:passes', t.name, t.on_plan, t.each, 0, t.day, s.hour, t.next_at, t.last,
        case when t.noted_at is null then '' else t.note end, case when t.note = '' then null else t.noted_at end, t.note = 'stale' and t.noted_at is not null
      from poolpatrol.schedule s, lateral (values
        ('monthly', s.monthly, 'month', s.month_day, s.monthly_at, s.monthly_pass, s.monthly_note, s.monthly_noted),
        ('daily', s.daily, 'day', 0, s.daily_at, s.daily_pass, s.daily_note, s.daily_noted)) t (name, on_plan, each, day, next_at, last, note, noted_at);
  end loop;
end $$;
-- +goose StatementEnd
