package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
)

const (
	oldestPostgres = 15 // major version our migrations are written for

	// Deadlines are compared with PostgreSQL's clock: at a second people
	// notice, at ten the record is wrong.
	skewWarn = time.Second
	skewFail = 10 * time.Second
)

// A Database is PostgreSQL as the settings describe it. Fix is what starts it
// or corrects its settings.
type Database struct {
	AppURL, SystemURL, OwnerURL string
	Sets                        []postgres.MigrationSet
	Fix                         string
}

// Checks looks at the server through each login role that has an address, and
// at what the app role could do beyond its walls.
func (d Database) Checks() []Check {
	const group = "PostgreSQL"
	return []Check{
		{group, "answers as " + postgres.AppRole, func(ctx context.Context) Result { return d.answers(ctx, d.AppURL, postgres.AppRole) }},
		{group, "answers as " + postgres.SystemRole, func(ctx context.Context) Result {
			return d.answers(ctx, d.SystemURL,
				postgres.SystemRole)
		}},
		{group, "answers as " + postgres.OwnerRole, func(ctx context.Context) Result {
			return d.answers(ctx, d.OwnerURL,
				postgres.OwnerRole)
		}},
		{group, "schema is migrated", d.migrated},
		{group, "app role stays behind its walls", d.walled},
		{group, "clock agrees with this machine", d.clock},
		{group, "what it confirms survives a crash", d.durable},
	}
}

// answers connects and asks who and what is there.
func (d Database) answers(ctx context.Context, url, role string) Result {
	if url == "" {
		return Result{NotSetUp, "not configured", ""}
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return Result{Fail, unreachable(err, url), d.Fix}
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var user, version string
	var number int
	const who = `select current_user, current_setting('server_version'), current_setting('server_version_num')::int`
	if err := conn.QueryRow(ctx, who).Scan(&user, &version, &number); err != nil {
		return Result{Fail, unreachable(err, url), d.Fix}
	}
	switch {
	case number/10000 < oldestPostgres:
		return Result{Fail, fmt.Sprintf("PostgreSQL %s is too old", version), fmt.Sprintf("upgrade it to %d or newer", oldestPostgres)}
	case user != role:
		return Result{Warn, fmt.Sprintf("signed in as %s, not %s", user, role), "use the address of role " + role + ": gavel config list"}
	}
	return Result{OK, "PostgreSQL " + version, ""}
}

func (d Database) migrated(ctx context.Context) Result {
	if d.OwnerURL == "" {
		return Result{NotChecked, "not checked: the owner's address is not configured; it is GAVEL_DATABASE_OWNER_URL", ""}
	}
	pending, err := postgres.Pending(ctx, d.OwnerURL, d.Sets...)
	if err != nil {
		return notChecked(postgres.OwnerRole)
	}
	if len(pending) == 0 {
		return Result{OK, "up to date", ""}
	}
	names := make([]string, len(pending))
	for i, m := range pending {
		names[i] = m.Set + "/" + m.File
	}
	return Result{Fail, fmt.Sprintf("%d pending: %s", len(names), strings.Join(names, ", ")), "gavel migrate up"}
}

// walled makes sure that row-level security holds for the role all requests
// run under, also through roles it is a member of.
func (d Database) walled(ctx context.Context) Result {
	if d.AppURL == "" {
		return Result{NotSetUp, "not configured", ""}
	}
	db, err := postgres.Open(ctx, d.AppURL)
	if err != nil {
		return notChecked(postgres.AppRole)
	}
	defer db.Close()
	if err := db.Walled(ctx); fault.Is(err, fault.Refused) {
		text, next := fault.Words(err)
		return Result{Fail, text, next}
	} else if err != nil {
		return notChecked(postgres.AppRole)
	}
	return Result{OK, "cannot bypass row-level security", ""}
}

// clock compares the clocks in the middle of a round trip.
func (d Database) clock(ctx context.Context) Result {
	if d.AppURL == "" {
		return Result{NotSetUp, "not configured", ""}
	}
	conn, err := pgx.Connect(ctx, d.AppURL)
	if err != nil {
		return notChecked(postgres.AppRole)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var there time.Time
	before := time.Now()
	if err := conn.QueryRow(ctx, `select clock_timestamp()`).Scan(&there); err != nil {
		return notChecked(postgres.AppRole)
	}
	trip := time.Since(before)
	return skew(there.Sub(before.Add(trip/2)), trip)
}

func skew(apart, trip time.Duration) Result {
	detail := fmt.Sprintf("%s apart, measured to within %s", apart.Abs().Round(time.Millisecond), trip.Round(time.Millisecond))
	const fix = "run a time service (chrony, systemd-timesyncd) on both machines"
	switch {
	case apart.Abs()-trip > skewFail:
		return Result{Fail, detail, fix}
	case apart.Abs()-trip > skewWarn:
		return Result{Warn, detail, fix}
	}
	return Result{OK, detail, ""}
}

// notChecked is for what cannot be looked at while a login fails; the line of
// that login says why and what to do.
func notChecked(role string) Result {
	return Result{Warn, "not checked: the login as " + role + " does not work", "first cure: answers as " + role}
}

// unreachable says why a login failed, without the address's password.
func unreachable(err error, url string) string {
	cfg, parseErr := pgx.ParseConfig(url)
	if parseErr != nil {
		return "the address is not one of PostgreSQL"
	}
	where := fmt.Sprintf("%s:%d", cfg.Host, cfg.Port)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fmt.Sprintf("PostgreSQL at %s refuses: %s", where, pg.Message)
	}
	return "PostgreSQL at " + where + " does not answer"
}
