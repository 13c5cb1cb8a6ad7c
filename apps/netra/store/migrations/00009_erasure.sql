-- +goose Up

-- Words that people write are looked at for personal data before they are kept, and can hold some all the same. Where somebody has said
-- that a case is about a person, an erasure takes them: the words go, and who decided what and when stays.
alter table netra.review add column erased_at timestamptz;
alter table netra.review drop constraint review_form;
alter table netra.review add constraint review_form check (outcome in ('act', 'watch', 'no_action', 'doubt') and length(reason) <= 2000
  and length(dissent) <= 2000 and (reason = '') = (erased_at is not null) and (erased_at is null or dissent = ''));

alter table netra.correction add column erased_at timestamptz;
alter table netra.correction drop constraint correction_form;
alter table netra.correction add constraint correction_form check (id ~ '^NCO-[0-9A-F]{8}$' and lgd between 1 and 999999
  and kind in ('wrong', 'duplicate', 'district') and (kind = 'duplicate') = (other <> '') and (kind = 'district') = (to_lgd is not null)
  and to_lgd between 1 and 999999 and length(reason) <= 2000 and length(why) <= 2000 and state in ('filed', 'accepted', 'refused')
  and (state = 'filed') = (decided_at is null) and (reason = '') = (erased_at is not null)
  and (erased_at is null or why = '' and state <> 'filed'));

alter table netra.briefing add column erased_at timestamptz;
alter table netra.draft add column erased_at timestamptz;

-- Blanking is the only change there is to what was decided.
-- +goose StatementBegin
create function netra.words_stay() returns trigger language plpgsql as $$
declare
  may_go constant text[] := '{reason,dissent,why,erased_at}';
begin
  if to_jsonb(new) - may_go = to_jsonb(old) - may_go and old.erased_at is null and new.erased_at is not null then
    return new;
  end if;
  raise exception 'what was decided can be erased and not changed' using errcode = 'insufficient_privilege';
end $$;
-- +goose StatementEnd
create trigger review_stays before update or delete on netra.review for each row execute function netra.words_stay();
create trigger correction_stays before update on netra.correction for each row when (old.state <> 'filed')
  execute function netra.words_stay();
grant update (reason, dissent, erased_at) on netra.review to gavel_app;
grant update (reason, erased_at) on netra.correction to gavel_app;
grant update (question, erased_at) on netra.briefing to gavel_app;
grant update (body, erased_at) on netra.draft to gavel_app;
