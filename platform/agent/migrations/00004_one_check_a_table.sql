-- +goose Up

-- PostgreSQL reads every CHECK of a table anew for each statement that writes to
-- it. A turn writes to these three, so each has one that says it all.
alter table gavel.run
  drop constraint run_id_check, drop constraint run_app_check, drop constraint run_agent_check, drop constraint run_name_check,
  drop constraint run_for_kind_check, drop constraint run_for_id_check, drop constraint run_state_check, drop constraint run_reason_check,
  drop constraint run_seq_check, drop constraint run_currency_check, drop constraint run_workflow_id_check, drop constraint run_workflow_run_check,
  add constraint run_form check (
    id ~ '^run_[0-9A-HJKMNP-TV-Z]{26}$' and app ~ '^[a-z]{2,20}$' and agent ~ '^[a-z][a-z0-9_]{1,39}$' and length(name) between 1 and 80
    and for_kind in ('', 'person', 'agent', 'machine', 'system') and length(for_id) <= 200
    and state in ('running', 'waiting_person', 'waiting_reply', 'held', 'done', 'failed', 'stopped', 'out_of_budget')
    and length(reason) <= 500 and seq >= 0 and length(currency) <= 8 and length(workflow_id) <= 300 and length(workflow_run) <= 64);
alter table gavel.step
  drop constraint step_seq_check, drop constraint step_kind_check,
  add constraint step_form check (seq >= 0 and kind in ('turn', 'compaction'));
alter table gavel.node
  drop constraint node_sha256_check, drop constraint node_parent_check, drop constraint node_body_check,
  add constraint node_form check (length(sha256) = 32 and length(parent) = 32 and length(body) <= 33554432 + 1024);
