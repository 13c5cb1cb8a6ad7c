-- +goose Up

-- How the programme is set up is a setting of the platform from here on, with its versions. The
-- table poolpatrol.office stays for servers of the version before, which still serve.
-- +goose StatementBegin
do $$
declare o text;
begin
  for o in select org from gavel_sys.organisation loop
    perform set_config('gavel.org', o, true);
    insert into gavel.setting (org, app, name, version, value, changed_by, changed_at)
      select org, 'poolpatrol', 'office', version,
        '{"appeal":' || to_json(appeal) || ',"contact":' || to_json(contact) || ',"cost_per_hour":' || hour_cost || ',"currency":' || to_json(currency)
          || ',"manual_minutes":' || minutes || ',"portal":' || to_json(portal) || ',"programme":' || to_json(programme) || ',"tz":' || to_json(zone) || '}',
        changed_by, changed_at
      from poolpatrol.office;
  end loop;
end $$;
-- +goose StatementEnd
