-- +goose Up

-- There are two versions of the verdict. An episode is answered by the one it was first
-- answered by, whatever is set since; those that were found before there were two have the
-- first. The second says what may be done: complain, ask, or nothing.
alter table airshed.episode add column method text not null default 'plume-2026-1'
  constraint episode_method check (method in ('plume-2026-1', 'plume-2027-1'));

alter table airshed.answer
  drop constraint answer_form,
  add constraint answer_form check (n >= 1 and peak_index between 0 and 500
    and verdict in ('conclusive', 'inconclusive', 'complaint', 'inquiry', 'not determined', 'no attribution')
    and length(first_state) <= 100 and data ~ '^[0-9a-f]{64}$' and analysis ~ '^[0-9a-f]{64}$');

alter table airshed.report
  drop constraint report_form,
  add constraint report_form check (n >= 1 and report_id ~ '^CAQM-[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{3,6}$' and length(station) between 1 and 200
    and aqi between 0 and 500 and verdict in ('conclusive', 'inconclusive', 'complaint', 'inquiry', 'not determined', 'no attribution')
    and length(first_state) <= 100
    and length(category) between 1 and 40 and length(worded_by) <= 80 and json ~ '^[0-9a-f]{64}$' and english ~ '^[0-9a-f]{64}$' and hindi ~ '^[0-9a-f]{64}$');
