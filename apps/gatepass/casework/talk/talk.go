// Package talk is conversations about gate passes, from the person's side: one begins in one role, goes on for as long as they write,
// and is forgotten when it ends. What the agent does in it is package casework/mind's.
//
// Read Desk.Say, which begins one where there is none, then Show.
package talk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/casework/mind"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/apps/gatepass/rule/reference"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// Config is what a Desk stands on.
type Config struct {
	Store   *store.Store
	Cases   *casefile.Store
	Reviews *review.Store
	Runs    *agent.Store
	Orders  *agent.Orders
	Vault   *seal.Vault // nil: no photo is handed in
	Clock   durable.Clock
	Routed  func(route string) bool // whether a route has a model; nil: each has
}

// A Desk is where people talk with agents. It is opened once.
type Desk struct{ c Config }

// Open tells a desk what it stands on.
func (d *Desk) Open(c Config) { d.c = c }

// Ours are somebody's roles of the institution that make up a role here, and an error where they have none.
func Ours(who identity.Actor, role pass.Role) ([]identity.Role, error) {
	if _, err := pass.ParseRole(string(role)); err != nil {
		return nil, err
	}
	have := slices.DeleteFunc(slices.Clone(who.Roles), func(r identity.Role) bool { return pass.RoleOf(r) != role })
	if len(have) == 0 {
		return nil, fault.New(fault.Refused, "you don't have the role %s", role).WithNext("ask an administrator for it")
	}
	return have, nil
}

// mostWords is the most that somebody writes at once, in bytes.
const mostWords = 8_000

// A Message is something that somebody writes.
type Message struct {
	Role  pass.Role
	Lang  string // of the page; "hi" or English
	Words string
	Once  string // tells a repeat of the same words; may be empty
}

func (m Message) check() (Message, error) {
	m.Words = strings.TrimSpace(m.Words)
	switch {
	case m.Words == "":
		return m, fault.New(fault.Invalid, "there is nothing to say").On("message", "required", "")
	case len(m.Words) > mostWords || !utf8.ValidString(m.Words) || strings.ContainsRune(m.Words, 0):
		return m, fault.New(fault.Invalid, "a message has at most %d bytes of text", mostWords).On("message", "too_long", "")
	}
	if m.Once != "" { // a key whose request was refused, and a page that was gone back to, may come again with other words
		sum := sha256.Sum256([]byte(m.Once + "\x00" + string(m.Role) + "\x00" + m.Words))
		m.Once = hex.EncodeToString(sum[:])
	}
	if m.Lang != "hi" {
		m.Lang = "en"
	}
	return m, nil
}

// Say writes to the agent. Where somebody has no conversation in this sign-in, or the one they had has been silent for too long, one
// begins with it. The role is the conversation's for as long as it lasts.
func (d *Desk) Say(ctx context.Context, who identity.Actor, m Message) (t store.Talk, err error) {
	if err := d.c.Store.May(who, store.ActTalk); err != nil {
		return t, err
	}
	if m, err = m.check(); err != nil {
		return t, err
	}
	roles, err := Ours(who, m.Role)
	if err != nil {
		return t, err
	}
	if d.c.Routed != nil && !d.c.Routed(mind.Route) {
		return t, fault.New(fault.Conflict, "no model is set up for this agent").WithNext("name a model for the route %s", mind.Route).
			Because("talk_no_model")
	}
	t, err = d.current(ctx, who)
	switch {
	case fault.Is(err, fault.NotFound):
		return d.begin(ctx, who, roles, m)
	case err != nil:
		return t, err
	case t.Role != m.Role:
		return t, fault.New(fault.Conflict, "you are talking as %s; end that conversation to talk as %s", t.Role, m.Role).
			WithNext("end the conversation first")
	case t.Began(m.Once): // sent again: it was said with the beginning
		return t, nil
	case t.Took(m.Once): // sent again, and perhaps the agent has not been told: it is told once
		_, err = d.c.Orders.Write(ctx, who, t.Run, m.Once, m.Words)
		return t, err
	}
	return d.goOn(ctx, who, t, m)
}

// current is the conversation somebody has that has not been silent for too long. One that has been is ended.
func (d *Desk) current(ctx context.Context, who identity.Actor) (t store.Talk, err error) {
	err = d.c.Store.In(ctx, who.Org, func(tx pgx.Tx) (err error) {
		t, err = store.OpenTalk(ctx, tx, who)
		return err
	})
	if err != nil || t.Memory.Live(d.c.Store.Now(), d.c.Store.Patience()).Begun == t.Memory.Begun {
		return t, err
	}
	if err := d.over(ctx, who, t); err != nil {
		return t, err
	}
	return t, fault.New(fault.NotFound, "this conversation has ended")
}

// over ends a conversation whole: its agent is stopped in the middle of its answer, what it asked its person is taken back, and nothing
// of its memory is left. The agent goes first: what fails before the memory is gone is done again.
func (d *Desk) over(ctx context.Context, who identity.Actor, t store.Talk) error {
	err := d.c.Orders.End(ctx, who, t.Run)
	if err != nil && !fault.Is(err, fault.Conflict) { // a Conflict: it has ended by itself
		return err
	}
	return d.c.Store.In(ctx, who.Org, func(tx pgx.Tx) error { return store.EndTalk(ctx, tx, t.ID, d.c.Store.Now()) })
}

// Stop stops the answer that is being written: what was said by then stays, and it is the person's turn. Where nothing is being
// written nothing is done.
func (d *Desk) Stop(ctx context.Context, who identity.Actor) error {
	v, err := d.Show(ctx, who)
	if err != nil || v.State != Working {
		return err
	}
	return d.c.Orders.Interrupt(ctx, who, v.Run, v.Turn)
}

// begin opens a conversation with its first message.
func (d *Desk) begin(ctx context.Context, who identity.Actor, roles []identity.Role, m Message) (t store.Talk, err error) {
	now := d.c.Store.Now()
	t = store.Talk{ID: store.NewID(now), Person: who.ID, Name: who.Name, Session: who.Session, Role: m.Role, Roles: roles, Lang: m.Lang,
		Memory: reference.Memory{}.Live(now, d.c.Store.Patience()), Said: []string{m.Words}, Heard: []string{m.Once}}
	err = d.c.Store.In(ctx, who.Org, func(tx pgx.Tx) error {
		c, _, err := d.c.Cases.OpenIn(ctx, tx, who, casefile.Opening{App: casefile.General().App, Key: "talk-" + t.ID,
			DueIn: d.c.Store.Patience().Longest,
			Title: "Conversation about gate passes", Subjects: []seal.Subject{mind.Subject(t.ID)}})
		if err != nil {
			return err
		}
		t.Case = string(c.ID)
		actor := identity.Actor{Kind: identity.Person, ID: who.ID, Org: who.Org, Roles: roles}
		talk := agent.Conversation{Input: casefile.Input{Org: who.Org, Case: c.ID, Clock: d.c.Clock},
			Task: agent.Task{App: store.Name, Agent: mind.AgentOf(m.Role), Name: "talk", For: actor}}
		if t.Run, err = talk.Begin(ctx, tx); err != nil {
			return err
		}
		if err := d.c.Store.WakeKeeper(ctx, tx, who.Org); err != nil {
			return err
		}
		return store.InsertTalk(ctx, tx, who.Org, t)
	})
	return t, err
}

// goOn adds a message to a conversation, and has the agent read it.
func (d *Desk) goOn(ctx context.Context, who identity.Actor, t store.Talk, m Message) (store.Talk, error) {
	run, err := d.c.Runs.Get(ctx, who.Org, t.Run)
	switch {
	case fault.Is(err, fault.NotFound):
		return t, busy()
	case err != nil:
		return t, err
	case run.State.Ended():
		return t, fault.New(fault.Conflict, "this conversation has ended: %s", run.Reason).WithNext("end it and begin another")
	case len(run.Waiting) > 0:
		return t, fault.New(fault.Conflict, "a card waits for you: confirm it or leave it first").Because("card_waits")
	case run.State != agent.WaitingReply:
		return t, busy()
	}
	err = d.c.Store.In(ctx, who.Org, func(tx pgx.Tx) error {
		if t, err = store.TalkOfCase(ctx, tx, t.Case); err != nil {
			return err
		}
		t.Memory = t.Memory.Live(d.c.Store.Now(), d.c.Store.Patience())
		t.Said, t.Heard, t.Made = append(t.Said, m.Words), append(t.Heard, m.Once), nil
		return store.SaveTalk(ctx, tx, t)
	})
	if err != nil {
		return t, err
	}
	_, err = d.c.Orders.Write(ctx, who, t.Run, m.Once, m.Words)
	return t, err
}

func busy() error {
	return fault.New(fault.Conflict, "the agent is still at work on what you wrote").WithNext("wait for its answer").Because("talk_busy")
}

// Reset ends somebody's conversation and forgets it. Where there is none nothing is done.
func (d *Desk) Reset(ctx context.Context, who identity.Actor) error {
	if err := d.c.Store.May(who, store.ActTalk); err != nil {
		return err
	}
	var t store.Talk
	err := d.c.Store.In(ctx, who.Org, func(tx pgx.Tx) (err error) {
		t, err = store.OpenTalk(ctx, tx, who)
		return err
	})
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	}
	return d.over(ctx, who, t)
}

// Attach takes a photo that somebody hands in, and is told its id. It is looked at before it is kept: a format by its own bytes, a
// size within the organisation's bounds.
func (d *Desk) Attach(ctx context.Context, who identity.Actor, name string, file []byte) (p store.TalkPhoto, err error) {
	if err := d.c.Store.May(who, store.ActTalk); err != nil {
		return p, err
	}
	t, err := d.current(ctx, who)
	if err != nil {
		return p, err
	}
	bounds := photo.Standard()
	err = d.c.Store.In(ctx, who.Org, func(tx pgx.Tx) error {
		setup, err := store.SetupIn(ctx, tx, who.Org)
		bounds.Bytes = setup.PhotoBytes
		return err
	})
	if err != nil {
		return p, err
	}
	info, err := photo.Check(file, bounds)
	if err != nil {
		return p, err
	}
	if d.c.Vault == nil {
		return p, fault.New(fault.Unavailable, "photos cannot be kept on this server")
	}
	kept, err := d.c.Vault.SealBlob(ctx, who.Org, seal.Matter{Subjects: []seal.Subject{mind.Subject(t.ID)}, Case: t.Case,
		Purpose: mind.PhotoPurpose}, file)
	if err != nil {
		return p, err
	}
	sum := sha256.Sum256(file)
	p = store.TalkPhoto{ID: store.NewAttachment(), Talk: t.ID, Name: named(name), Format: string(info.Format), Bytes: int64(len(file)),
		SHA256: hex.EncodeToString(sum[:]), Sealed: kept.Ciphertext.String(), At: d.c.Store.Now()}
	return p, d.c.Store.In(ctx, who.Org, func(tx pgx.Tx) error { return store.AddTalkPhoto(ctx, tx, who.Org, p) })
}

// named is a file's name without where it lay.
func named(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if name == "" || len(name) > 200 || !utf8.ValidString(name) {
		return "photo"
	}
	return name
}
