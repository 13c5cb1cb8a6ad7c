-- +goose Up

-- After a restore who runs the installation has every open case begun anew, in all
-- organisations at once.
grant insert on gavel.outbox to gavel_system;
