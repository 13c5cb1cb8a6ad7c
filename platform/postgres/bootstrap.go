package postgres

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The login roles. The owner makes tables and is used by migrations only; the
// app role is kept apart by row-level security; the system role is not.
const (
	OwnerRole  = "gavel_owner"
	AppRole    = "gavel_app"
	SystemRole = "gavel_system"
)

// Passwords are those of the three login roles.
type Passwords struct{ Owner, App, System string }

// Bootstrap makes the login roles, where they are missing, sets their
// passwords, and makes the database. It needs a superuser's address, because
// only a superuser may hand out the right to bypass row-level security. It may
// be run again.
func Bootstrap(ctx context.Context, adminURL, database string, p Passwords) error {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return explain(err)
	}
	defer conn.Close(ctx)
	for _, r := range []struct{ name, attrs, password string }{
		{OwnerRole, "nobypassrls", p.Owner},
		{AppRole, "nobypassrls", p.App},
		{SystemRole, "bypassrls", p.System},
	} {
		if err := makeRole(ctx, conn, r.name, r.attrs, r.password); err != nil {
			return fmt.Errorf("make role %s: %w", r.name, err)
		}
	}
	if err := makeDatabase(ctx, conn, database); err != nil {
		return fmt.Errorf("make database %s: %w", database, err)
	}
	return nil
}

func makeRole(ctx context.Context, conn *pgx.Conn, name, attrs, password string) error {
	var exists bool
	if err := conn.QueryRow(ctx, `select exists (select from pg_roles where rolname = $1)`, name).Scan(&exists); err != nil {
		return err
	}
	verb := "create"
	if exists {
		verb = "alter"
	}
	_, err := conn.Exec(ctx, fmt.Sprintf("%s role %s login nosuperuser nocreatedb nocreaterole %s password %s",
		verb, pgx.Identifier{name}.Sanitize(), attrs, literal(password)))
	return err
}

func makeDatabase(ctx context.Context, conn *pgx.Conn, database string) error {
	var exists bool
	if err := conn.QueryRow(ctx, `select exists (select from pg_database where datname = $1)`, database).Scan(&exists); err != nil {
		return err
	}
	name := pgx.Identifier{database}.Sanitize()
	if !exists {
		if _, err := conn.Exec(ctx, fmt.Sprintf("create database %s owner %s", name, OwnerRole)); err != nil {
			return err
		}
	}
	for _, sql := range []string{
		"revoke all on database " + name + " from public",
		"grant connect on database " + name + " to " + AppRole + ", " + SystemRole,
		"grant temporary on database " + name + " to " + AppRole, // for tables that COPY fills: none behind a wall takes it
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// literal quotes a string for statements that take no parameters.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// WithDatabase is the same address with another database, for tests and tools
// that work beside the main one.
func WithDatabase(address, database string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("database address: %w", err)
	}
	u.Path = "/" + database
	return u.String(), nil
}
