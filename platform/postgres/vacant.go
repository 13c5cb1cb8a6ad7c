package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
)

// Vacant refuses a place where Bootstrap would take somebody's passwords away: a cluster
// whose login roles another database of ours is used by, and a database that has been
// migrated already. It takes a superuser's address.
func Vacant(ctx context.Context, adminURL, database string) error {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return explain(err)
	}
	defer conn.Close(ctx)
	const others = `select d.datname from pg_database d join pg_roles r on r.oid = d.datdba
		where r.rolname = $1 and d.datname <> $2 order by d.datname`
	rows, _ := conn.Query(ctx, others, OwnerRole, database)
	taken, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for other databases: %w", err)
	}
	if len(taken) > 0 {
		return fault.New(fault.Conflict, "the database %s is %s's already, and new passwords would lock its servers out", taken[0], OwnerRole).
			WithNext("use a cluster of its own, or give the addresses of the three roles")
	}
	var exists bool
	if err := conn.QueryRow(ctx, `select exists (select from pg_database where datname = $1)`, database).Scan(&exists); err != nil {
		return fmt.Errorf("look for the database: %w", err)
	}
	if !exists {
		return nil
	}
	there, err := WithDatabase(adminURL, database)
	if err != nil {
		return err
	}
	return Unused(ctx, there)
}

// Unused refuses a database that has been migrated: what is sealed in it needs keys that
// somebody has.
func Unused(ctx context.Context, address string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return explain(err)
	}
	defer conn.Close(ctx)
	var migrated bool
	if err := conn.QueryRow(ctx, `select to_regnamespace('gavel_sys') is not null`).Scan(&migrated); err != nil {
		return fmt.Errorf("look for a schema: %w", err)
	}
	if migrated {
		return fault.New(fault.Conflict, "the database %s has been set up already, and new keys would not open what is sealed in it",
			conn.Config().Database).WithNext("use the settings file that was written then, or another database")
	}
	return nil
}
