// Package postgres is the way to the record: pools, transactions, migrations,
// and the walls between organisations.
//
// There are two doors. DB is the ordinary one: every transaction belongs to one
// organisation, and the database itself hides all other rows, even from a query
// that forgets to ask. System sees every organisation and is for the
// dispatcher, schedules and consistency checks only. Which door a piece of code
// holds is visible in its types.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Limits every connection starts with. A page that needs more than these has a
// bug in it; bulk work sets its own inside its transaction.
const (
	statementTimeout = 30 * time.Second
	idleInTxTimeout  = 60 * time.Second
	connectTimeout   = 5 * time.Second // unless the address says connect_timeout
	maxConns         = 16              // of one pool, unless the address says pool_max_conns
)

// A DB is the door for requests and activities: it acts for one organisation at
// a time and cannot see past it.
type DB struct{ pool *pgxpool.Pool }

// A System is the door past the walls. Its role bypasses row-level security.
type System struct{ pool *pgxpool.Pool }

// Called is an address under which a process that stays names itself to the server:
// others can tell that it is there.
func Called(address, name string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return address // Open says what is wrong with it
	}
	q := u.Query()
	q.Set("application_name", name)
	u.RawQuery = q.Encode()
	return u.String()
}

// Open connects as the role of requests and activities. It does not wait for
// the server: a pool that cannot connect yet will when it can.
func Open(ctx context.Context, url string) (*DB, error) {
	pool, err := open(ctx, url)
	if err != nil {
		return nil, err
	}
	return &DB{pool}, nil
}

// OpenSystem connects as the role that sees every organisation.
func OpenSystem(ctx context.Context, url string) (*System, error) {
	pool, err := open(ctx, url)
	if err != nil {
		return nil, err
	}
	return &System{pool}, nil
}

func open(ctx context.Context, url string) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The parser's error may quote the password.
		return nil, fault.New(fault.Invalid, "database address: not a PostgreSQL address").
			WithNext("use postgres://role:password@host:port/database")
	}
	if !strings.Contains(url, "connect_timeout") {
		cfg.ConnConfig.ConnectTimeout = connectTimeout
	}
	if !strings.Contains(url, "pool_max_conns") {
		cfg.MaxConns = maxConns
	}
	params := cfg.ConnConfig.RuntimeParams
	if params["application_name"] == "" {
		params["application_name"] = "gavel"
	}
	params["statement_timeout"] = fmt.Sprint(statementTimeout.Milliseconds())
	params["idle_in_transaction_session_timeout"] = fmt.Sprint(idleInTxTimeout.Milliseconds())
	params["timezone"] = "UTC"
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, explain(err)
	}
	return pool, nil
}

// Close ends all connections.
func (db *DB) Close() { db.pool.Close() }

// Close ends all connections.
func (s *System) Close() { s.pool.Close() }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return explain(db.pool.Ping(ctx)) }

// Walled makes sure that row-level security holds for the role all requests run
// under, also through roles it is a member of. Where it does not the fault is Refused.
func (db *DB) Walled(ctx context.Context) error {
	const past = `select rolname from pg_roles where pg_has_role(current_user, oid, 'member') and (rolsuper or rolbypassrls)
		order by rolname`
	rows, _ := db.pool.Query(ctx, past) // CollectRows reports Query's error too
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return explain(err)
	}
	if len(names) > 0 {
		return fault.New(fault.Refused,
			"the role of requests can bypass row-level security as %s, and could show one organisation another's rows",
			strings.Join(names, ", ")).
			WithNext("give GAVEL_DATABASE_URL the role %s; if it does, as a superuser: alter role %s nosuperuser nobypassrls, and "+
				"revoke those memberships", AppRole, AppRole)
	}
	return nil
}

// Ping reports whether the database answers.
func (s *System) Ping(ctx context.Context) error { return explain(s.pool.Ping(ctx)) }

// InOrg runs fn in one transaction that sees and writes only org's rows. The
// transaction is committed when fn returns nil and rolled back otherwise. The
// setting costs no round trip of its own. Under Rehearse it is always rolled back.
func (db *DB) InOrg(ctx context.Context, org identity.Org, fn func(pgx.Tx) error) error {
	if _, err := identity.ParseOrg(string(org)); err != nil {
		return err
	}
	// The form check above is what makes it safe to write org into the text.
	begin := pgx.TxOptions{BeginQuery: "begin; set local gavel.org = '" + string(org) + "'"}
	if !Rehearsing(ctx) {
		return explain(pgx.BeginTxFunc(ctx, db.pool, begin, fn))
	}
	if err := pgx.BeginTxFunc(ctx, db.pool, begin, rehearsed(ctx, fn)); !errors.Is(err, errRehearsed) {
		return explain(err)
	}
	return nil
}

// Look runs statements that only read, all in one transaction that sees only org's rows,
// and in one round trip where InOrg takes three. What a statement is queued with takes its
// rows. A write is refused.
//
// The wall is asked for by the first statement, and the last looks whether it stood to the
// end: without it each would have found nothing, which could be taken for an answer.
func (db *DB) Look(ctx context.Context, org identity.Org, b *pgx.Batch) error {
	if _, err := identity.ParseOrg(string(org)); err != nil {
		return err
	}
	const wall = `select set_config('gavel.org', $1, true), set_config('transaction_read_only', 'on', true)`
	all := &pgx.Batch{}
	all.Queue(wall, string(org))
	all.QueuedQueries = append(all.QueuedQueries, b.QueuedQueries...)
	all.Queue(`select current_setting('gavel.org', true)`).QueryRow(func(row pgx.Row) error {
		var stood *string
		if err := row.Scan(&stood); err != nil {
			return err
		}
		if stood == nil || *stood != string(org) {
			return fault.New(fault.Internal, "a look at %s's rows was not one transaction", org)
		}
		return nil
	})
	return explain(db.pool.SendBatch(ctx, all).Close())
}

// InNone runs fn in one transaction that belongs to no organisation: it sees
// what belongs to the installation, as far as its role was granted that, and no
// row behind any wall.
func (db *DB) InNone(ctx context.Context, fn func(pgx.Tx) error) error {
	return explain(pgx.BeginFunc(ctx, db.pool, fn))
}

// InTx runs fn in one transaction that sees every organisation.
func (s *System) InTx(ctx context.Context, fn func(pgx.Tx) error) error {
	if err := shut(ctx); err != nil {
		return err
	}
	return explain(pgx.BeginFunc(ctx, s.pool, fn))
}

// Exec runs one statement that sees every organisation, in a transaction of its
// own.
func (s *System) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := shut(ctx); err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := s.pool.Exec(ctx, sql, args...)
	return tag, explain(err)
}

// Query reads across organisations, outside a transaction.
func (s *System) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := s.pool.Query(ctx, sql, args...)
	return explained{rows}, explain(err)
}

// explained are rows whose error has a kind, however late it is met: callers leave
// Query's error to what collects the rows.
type explained struct{ pgx.Rows }

// Err is the error that ended the reading.
func (r explained) Err() error { return explain(r.Rows.Err()) }

// Listen takes a connection of its own, outside the pool, for LISTEN. The
// caller closes it.
func (db *DB) Listen(ctx context.Context, channel string) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, db.pool.Config().ConnConfig)
	if err != nil {
		return nil, explain(err)
	}
	if _, err := conn.Exec(ctx, "listen "+pgx.Identifier{channel}.Sanitize()); err != nil {
		_ = conn.Close(ctx)
		return nil, explain(err)
	}
	return conn, nil
}

// explain gives errors of the connection a kind, so that callers can tell
// "the database is away" from "our statement is wrong". Faults pass through.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if away(err) {
		return fault.From(fault.Unavailable, err, "the database does not answer").
			WithNext("see which part is down: gavel doctor")
	}
	return err
}

// away reports whether an error means that the server could not be reached, is
// going down, or let go of us before it was done: the same request may succeed
// in a moment.
func away(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || closedByPeer(err) {
		return true
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	switch pg.Code {
	case "57P01", "57P02", "57P03", "57P05", "53300", // going down, coming up, full
		"57014", "40001", "40P01": // out of time, or in another's way
		return true
	}
	return strings.HasPrefix(pg.Code, "08") // the connection broke
}

// closedByPeer is the driver's error for a connection that had broken before it
// was asked to do something. It is told by what the driver offers for it: that
// trying again is safe.
func closedByPeer(err error) bool { return pgconn.SafeToRetry(err) }

// Violates reports whether err is the refusal of the named constraint or unique
// index.
func Violates(err error, constraint string) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.ConstraintName == constraint
}
