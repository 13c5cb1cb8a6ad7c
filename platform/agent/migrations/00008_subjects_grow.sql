-- +goose Up

-- Whom a run is about is what its transcript is sealed for and what an erasure
-- looks for. A worker that knows less than another must not take anybody out.
-- +goose StatementBegin
create function gavel.run_subjects_grow() returns trigger language plpgsql as $$
begin
  raise exception 'whom run % is about is only added to', old.id using errcode = 'check_violation', constraint = 'run_subjects_grow';
end $$;
-- +goose StatementEnd
create trigger run_subjects_grow before update of subjects on gavel.run
  for each row when (not old.subjects <@ new.subjects) execute function gavel.run_subjects_grow();
