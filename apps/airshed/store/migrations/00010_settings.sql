-- +goose Up

-- Where notices to a state go is a setting of the platform from here on, with its versions: one
-- for each state. The table airshed.office stays for servers of the version before, which still
-- serve.
-- +goose StatementBegin
do $$
declare o text;
begin
  for o in select org from gavel_sys.organisation loop
    perform set_config('gavel.org', o, true);
    insert into gavel.setting (org, app, name, item, version, value, changed_by, changed_at)
      select org, 'airshed', 'office', state, 1,
        '{"language":' || to_json(language) || ',"mailbox":' || to_json(mailbox) || ',"name":' || to_json(name) || '}', set_by, set_at
      from airshed.office;
  end loop;
end $$;
-- +goose StatementEnd
