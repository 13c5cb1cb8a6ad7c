package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/reference"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// TalkType is the type of subject whom a conversation's transcript is sealed for, by the conversation's id.
const TalkType = "talk"

// A Talk is a conversation of one person with an agent, in one role, with what is kept between two messages. It is known by who they
// are and by the sign-in they have it in, and is nobody else's.
type Talk struct {
	ID, Case, Run   string
	Person, Session string
	Name            string // of the person
	Role            pass.Role
	Roles           []identity.Role // of the institution, that make it up
	Lang            string
	Memory          reference.Memory
	PendingTool     string // that the pending parameters are for
	Shown, Seen     []reference.Ref
	Said            []string
	Heard           []string  // the names that senders gave their messages, the one that it began with first; empty: none was given
	Made            []string  // the keys of the passes made of the person's last message
	Ended           time.Time // zero while it lasts
}

// Scene is what a message is read against.
func (t Talk) Scene() reference.Scene {
	return reference.Scene{Memory: t.Memory, Shown: t.Shown, Seen: t.Seen}
}

// Last is what the person wrote last.
func (t Talk) Last() string {
	if len(t.Said) == 0 {
		return ""
	}
	return t.Said[len(t.Said)-1]
}

// Began reports whether the conversation began with a message, by the name that its sender gave it.
func (t Talk) Began(once string) bool { return once != "" && len(t.Heard) > 0 && t.Heard[0] == once }

// Took reports whether it has taken a message, by that name.
func (t Talk) Took(once string) bool { return once != "" && slices.Contains(t.Heard, once) }

// The most that a conversation keeps at hand: what was written, and passes. What is older is in its transcript.
const (
	MostSaid = 60
	mostSeen = 200
)

// Saw is the conversation after a tool answered with passes.
func (t Talk) Saw(operation string, refs []reference.Ref) Talk {
	t.Memory = t.Memory.After(operation, refs)
	if len(refs) == 0 {
		return t
	}
	t.Shown = refs[:min(len(refs), mostSeen)]
	seen := append([]reference.Ref{}, t.Shown...)
	for _, r := range t.Seen {
		if len(seen) == mostSeen {
			break
		}
		known := false
		for _, o := range t.Shown {
			known = known || o.Number == r.Number && o.ID == r.ID
		}
		if !known {
			seen = append(seen, r)
		}
	}
	t.Seen = seen
	return t
}

const talkColumns = `id, case_id, run_id, person, person_name, session, role, roles, lang, begun_at, touched_at, ended_at,
	current_pass_number,
	current_pass_id, last_operation, pending_tool, pending_parameters, shown, seen, said, made, heard`

func scanTalk(row pgx.CollectableRow) (t Talk, err error) {
	var pending, shown, seen, said, made, heard []byte
	m := &t.Memory
	err = row.Scan(&t.ID, &t.Case, &t.Run, &t.Person, &t.Name, &t.Session, &t.Role, &t.Roles, &t.Lang, moment{&m.Begun},
		moment{&m.Touched}, moment{&t.Ended}, &m.CurrentPassNumber, &m.CurrentPassID, &m.LastOperation, &t.PendingTool,
		&pending, &shown, &seen, &said, &made, &heard)
	for _, part := range []struct {
		text []byte
		into any
	}{{pending, &m.PendingParameters}, {shown, &t.Shown}, {seen, &t.Seen}, {said, &t.Said}, {made, &t.Made}, {heard, &t.Heard}} {
		if err == nil {
			err = json.Unmarshal(part.text, part.into)
		}
	}
	return t, err
}

// OpenTalk is the conversation somebody has in this sign-in.
func OpenTalk(ctx context.Context, tx pgx.Tx, who identity.Actor) (Talk, error) {
	const one = `select ` + talkColumns + ` from gatepass.talk where person = $1 and session = $2 and ended_at is null`
	return oneTalk(ctx, tx, one, who.ID, who.Session)
}

// TalkOfCase is the conversation that a run works on, held for a change.
func TalkOfCase(ctx context.Context, tx pgx.Tx, caseID string) (Talk, error) {
	const one = `select ` + talkColumns + ` from gatepass.talk where case_id = $1 for update`
	return oneTalk(ctx, tx, one, caseID)
}

func oneTalk(ctx context.Context, tx pgx.Tx, sql string, args ...any) (Talk, error) {
	rows, _ := tx.Query(ctx, sql, args...)
	t, err := pgx.CollectOneRow(rows, scanTalk)
	if errors.Is(err, pgx.ErrNoRows) {
		return t, fault.New(fault.NotFound, "there is no such conversation").WithNext("begin one")
	}
	if err != nil {
		return t, fmt.Errorf("read a conversation: %w", err)
	}
	return t, nil
}

// InsertTalk begins a conversation.
func InsertTalk(ctx context.Context, tx pgx.Tx, org identity.Org, t Talk) error {
	const insert = `insert into gatepass.talk (org, id, case_id, run_id, person, person_name, session, role, roles, lang, begun_at,
		touched_at, said, heard) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`
	said, err := json.Marshal(nonNil(t.Said))
	heard, wrong := json.Marshal(nonNil(t.Heard))
	if err = errors.Join(err, wrong); err == nil {
		_, err = tx.Exec(ctx, insert, org, t.ID, t.Case, t.Run, t.Person, t.Name, t.Session, t.Role, t.Roles, t.Lang, t.Memory.Begun,
			t.Memory.Touched, said, heard)
	}
	if postgres.Violates(err, "talk_open") {
		return fault.New(fault.Conflict, "your conversation has just begun").WithNext("write in that one").Because("talk_busy")
	}
	if err != nil {
		return fmt.Errorf("begin a conversation: %w", err)
	}
	return nil
}

// SaveTalk keeps what a conversation has come to.
func SaveTalk(ctx context.Context, tx pgx.Tx, t Talk) error {
	const update = `update gatepass.talk set touched_at = $2, current_pass_number = $3, current_pass_id = $4, last_operation = $5,
		pending_tool = $6, pending_parameters = $7, shown = $8, seen = $9, said = $10, made = $11, heard = $12
		where id = $1 and ended_at is null`
	pending := t.Memory.PendingParameters
	if pending == nil {
		pending = map[string]any{}
	}
	if more := len(t.Heard) - MostSaid; more > 0 { // the one that it began with stays
		t.Heard = slices.Delete(slices.Clone(t.Heard), 1, 1+more)
	}
	var parts [6][]byte
	for i, v := range []any{pending, nonNil(t.Shown), nonNil(t.Seen), nonNil(t.Said[max(0, len(t.Said)-MostSaid):]), nonNil(t.Made),
		nonNil(t.Heard)} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		parts[i] = text
	}
	m := t.Memory
	_, err := tx.Exec(ctx, update, t.ID, m.Touched, m.CurrentPassNumber, m.CurrentPassID, m.LastOperation, t.PendingTool,
		parts[0], parts[1], parts[2], parts[3], parts[4], parts[5])
	if err != nil {
		return fmt.Errorf("keep a conversation: %w", err)
	}
	return nil
}

// EndTalk ends a conversation, and nothing of its memory is left.
func EndTalk(ctx context.Context, tx pgx.Tx, id string, at time.Time) error {
	const end = `update gatepass.talk set ended_at = $2, current_pass_number = '', current_pass_id = '', last_operation = '',
		pending_tool = '', pending_parameters = '{}', shown = '[]', seen = '[]', said = '[]', made = '[]', heard = '[]'
		where id = $1 and ended_at is null`
	if _, err := tx.Exec(ctx, end, id, at); err != nil {
		return fmt.Errorf("end a conversation: %w", err)
	}
	return nil
}

func nonNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// A TalkPhoto is a photo that somebody handed in.
type TalkPhoto struct {
	ID, Talk, Name, Format string
	Bytes                  int64
	SHA256, Sealed         string
	At                     time.Time
}

// NewAttachment is the id of a photo that is handed in.
func NewAttachment() string { return "att_" + strings.ToLower(rand.Text()) }

// AddTalkPhoto keeps one.
func AddTalkPhoto(ctx context.Context, tx pgx.Tx, org identity.Org, p TalkPhoto) error {
	const insert = `insert into gatepass.talk_photo (org, id, talk, name, format, bytes, sha256, sealed, at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	if _, err := tx.Exec(ctx, insert, org, p.ID, p.Talk, p.Name, p.Format, p.Bytes, p.SHA256, p.Sealed, p.At); err != nil {
		return fmt.Errorf("keep a photo: %w", err)
	}
	return nil
}

// TalkPhotoOf is a photo that was handed in in this very conversation.
func TalkPhotoOf(ctx context.Context, tx pgx.Tx, talk, id string) (TalkPhoto, error) {
	const one = `select id, talk, name, format, bytes, sha256, sealed, at from gatepass.talk_photo where id = $1 and talk = $2`
	rows, _ := tx.Query(ctx, one, id, talk)
	p, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[TalkPhoto])
	if errors.Is(err, pgx.ErrNoRows) {
		return p, fault.New(fault.NotFound, "no photo %.40q was handed in here", id)
	}
	return p, err
}

// A Try is a request that is being tried again.
type Try struct {
	Call      string
	Again, Of int
}

// NoteTry says that a request is tried again, also to the page of who waits.
func (s *Store) NoteTry(ctx context.Context, org identity.Org, talk, run string, t Try) error {
	const put = `insert into gatepass.talk_try (org, talk, call, again, of, at) values ($1, $2, $3, $4, $5, $6)
		on conflict (org, talk, call) do update set again = excluded.again, of = excluded.of, at = excluded.at`
	return s.In(ctx, org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, put, org, talk, t.Call, t.Again, t.Of, s.Now()); err != nil {
			return err
		}
		const tell = `select pg_notify('gavel_live', json_build_object('org', $1::text, 'object', $2::text, 'version',
			(extract(epoch from clock_timestamp()) * 1000)::bigint)::text)`
		_, err := tx.Exec(ctx, tell, org, run)
		return err
	})
}

// Tries are the requests of a conversation that were tried again, by their calls.
func Tries(ctx context.Context, tx pgx.Tx, talk string) (map[string]Try, error) {
	rows, _ := tx.Query(ctx, `select call, again, of from gatepass.talk_try where talk = $1`, talk)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Try])
	out := map[string]Try{}
	for _, t := range all {
		out[t.Call] = t
	}
	return out, err
}
