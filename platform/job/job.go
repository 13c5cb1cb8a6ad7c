// Package job carries long work that somebody asks for: an audit of everything, a
// look at much data. Of each kind one runs at a time in an organisation, and whoever asks
// while it does is given that one, on whichever server.
//
// Read Start, then Report and Finish; a Desk is where people call jobs off. The package keeps the row that says who asked, how
// far the work is and how it ended; it leaves word for the engine, puts both ends on record
// and tells open pages. All of that happens in the transaction of the application, which
// keeps what the work counts and finds in tables of its own, under the same id.
//
// It is not package operation: that one carries answers to a request, in the server
// that was asked, and nothing is lost with it.
package job

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the table of jobs.
func Migrations() postgres.MigrationSet { return postgres.Embedded("job", migrations) }

// A Kind is one sort of long work. Its names are remembered by the engine, the log and
// addresses, and never change.
type Kind struct {
	App      string // whose it is: the task queue, and who put it on record
	Name     string // one word: "pass"
	Prefix   string // of its ids: "PASS"
	Workflow string // that does it, as the engine knows it
	Act      string // that policy is asked about, of who begins one or calls one off
	Read     string // the same, of who looks at one
	Pages    string // where its pages stand, each under its id: "/poolpatrol/passes"; empty: it has none
}

func (k Kind) column() string { return k.App + "." + k.Name }

// record is the kind of its records in the log.
func (k Kind) record() log.Kind { return log.Kind(k.App + "_" + k.Name) }

// workflowID is where the engine has one.
func (k Kind) workflowID(org identity.Org, id string) string {
	return k.App + "/" + string(org) + "/" + k.Name + ":" + id
}

// Live is the name under which open pages hear of one; "*" stands for all of them.
func (k Kind) Live(id string) string { return k.Name + "_" + id }

var idForm = regexp.MustCompile(`^[A-Z]{2,8}-[0-9A-F]{8}$`)

// IsID reports whether a text has the form of an id of this kind.
func (k Kind) IsID(text string) bool {
	return idForm.MatchString(text) && text[:len(text)-9] == k.Prefix
}

// NewID draws an id: the prefix and eight hexadecimal digits. Four billion are few, and
// Start refuses one that is taken.
func (k Kind) NewID() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%X", k.Prefix, b)
}

// A State says how far a job has come.
type State string

// The states. All but the first are ends, and stay.
const (
	Running   State = "running"
	Done      State = "done"
	Refused   State = "refused"   // it could not be done; the reason says why
	Cancelled State = "cancelled" // somebody called it off
)

// A Progress is how far the work is.
type Progress struct {
	Done, Total int    // Total is 0 where nobody knows yet
	Doing       string // what it is at, in a few words
}

// A Job is one piece of long work as it stands.
type Job struct {
	ID      string
	Key     string
	About   string
	AskedBy string // id of who did
	State   State
	Reason  string // why it was not done
	Progress

	CancelledBy string // who wants it called off; empty: nobody
	Version     int64  // as its notices count it
	BeganAt     time.Time
	HeardAt     time.Time
	EndedAt     *time.Time
}

// CalledOff is how a job ends that somebody has called off; ok is false where nobody has.
func (j Job) CalledOff() (e End, ok bool) {
	if j.CancelledBy == "" {
		return e, false
	}
	return End{State: Cancelled, Reason: j.CancelledBy + " called it off"}, true
}

const columns = `id, key, about, asked_by, state, reason, done, total, doing, cancelled_by, version, began_at, heard_at, ended_at`

func scan(row pgx.CollectableRow) (j Job, err error) {
	err = row.Scan(&j.ID, &j.Key, &j.About, &j.AskedBy, &j.State, &j.Reason, &j.Done, &j.Total, &j.Doing,
		&j.CancelledBy, &j.Version, &j.BeganAt, &j.HeardAt, &j.EndedAt)
	return j, err
}

// Find reads a job; the zero Job where there is none, as of work from before there were rows
// of jobs.
func Find(ctx context.Context, tx pgx.Tx, k Kind, id string) (Job, error) {
	return one(ctx, tx, `select `+columns+` from gavel.job where kind = $1 and id = $2`, k.column(), id)
}

// one reads one job; the zero Job where there is none.
func one(ctx context.Context, tx pgx.Tx, query string, args ...any) (Job, error) {
	rows, _ := tx.Query(ctx, query, args...)
	j, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return Job{}, nil
	}
	return j, err
}

// Get reads a job.
func Get(ctx context.Context, tx pgx.Tx, k Kind, id string) (Job, error) {
	j, err := Find(ctx, tx, k, id)
	if err == nil && j.ID == "" {
		err = fault.New(fault.NotFound, "no %s is called %.40q", k.Name, id).Because("nothing_called", "id", id)
	}
	return j, err
}

// At is the job of a kind that is at something; the zero Job where none is, or where
// nothing has been heard of it for so long that it counts as lost.
func At(ctx context.Context, tx pgx.Tx, k Kind, about string) (Job, error) {
	const running = `select ` + columns + ` from gavel.job
		where kind = $1 and about = $2 and state = 'running' and heard_at > now() - make_interval(secs => $3)`
	return one(ctx, tx, running, k.column(), about, Silence.Seconds())
}

// Newest is the job of a kind that began last about something, at it or ended; the zero Job where there was none.
func Newest(ctx context.Context, tx pgx.Tx, k Kind, about string) (Job, error) {
	const newest = `select ` + columns + ` from gavel.job where kind = $1 and about = $2 order by began_at desc, id desc limit 1`
	return one(ctx, tx, newest, k.column(), about)
}

// Purge deletes the jobs of a kind, in all organisations, that ended before a moment: an
// application does so when it lets go of what they found.
func Purge(ctx context.Context, sys *postgres.System, k Kind, before time.Time) (int64, error) {
	tag, err := sys.Exec(ctx, `delete from gavel.job where kind = $1 and ended_at < $2`, k.column(), before)
	return tag.RowsAffected(), err
}
