package devstack

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
)

// createDatabases makes the login roles and databases of Gavel and Temporal.
func createDatabases(ctx context.Context, s *Stack) error {
	err := postgres.Bootstrap(ctx, s.adminURL(), "gavel", postgres.Passwords{
		Owner:  s.secrets[secretOwner],
		App:    s.secrets[secretApp],
		System: s.secrets[secretSystem],
	})
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.adminURL())
	if err != nil {
		return fault.From(fault.Unavailable, err, "connect to PostgreSQL")
	}
	defer conn.Close(ctx)
	if err := createTemporalRole(ctx, conn, s.secrets[secretTemporal]); err != nil {
		return err
	}
	for _, name := range []string{"temporal", "temporal_visibility"} {
		if err := createTemporalDatabase(ctx, conn, name); err != nil {
			return err
		}
	}
	return nil
}

func createTemporalRole(ctx context.Context, conn *pgx.Conn, password string) error {
	var found bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'temporal')").Scan(&found)
	if err == nil && !found {
		// The password is our own base64: nothing in it needs quoting.
		_, err = conn.Exec(ctx, fmt.Sprintf("CREATE ROLE temporal LOGIN PASSWORD '%s'", password))
	}
	if err != nil {
		return fault.From(fault.Internal, err, "create the role temporal")
	}
	return nil
}

func createTemporalDatabase(ctx context.Context, conn *pgx.Conn, name string) error {
	var found bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&found)
	if err == nil && !found {
		_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" OWNER temporal")
	}
	if err != nil {
		return fault.From(fault.Internal, err, "create the database %s", name)
	}
	return nil
}
