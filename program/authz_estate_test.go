package program

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// Words that stand together in everything that north has and nowhere else: one
// to search for, which a page may say back, and one to be found by.
const (
	searched = "Quagglewick"
	tellTale = "Snorfblat"
	paused   = "Fizzlewurp" // why something is paused, which stands on every page
)

// An estate is what an organisation has, made by the functions that make it.
type estate struct {
	*front
	t       *testing.T
	org     identity.Org
	rare    string // stands in everything it has
	n       int
	made    []string        // the ids of all of it
	ref     string          // of the case that was made last
	current casefile.CaseID // that case
	tag     string          // If-Match of what was made last
	shown   string          // and the digest of what it shows
	asks    identity.Actor  // whose operations are
}

// settle gives an organisation one of everything, on the log, too.
func (f *front) settle(t *testing.T, org identity.Org) *estate {
	t.Helper()
	e := &estate{front: f, t: t, org: org, rare: string(org) + "'s own"}
	if org == postgrestest.North {
		e.rare = searched + " " + tellTale
	}
	e.asks = e.who(identity.Officer)
	e.make("cases/{id}") // what is of a case is of this one
	for part := range e.makers() {
		e.make(part)
	}
	e.pinned()
	e.erase()
	e.actOutside()
	e.sequence()
	return e
}

// makers are how an organisation gets a thing, by the part of an address that
// names one. A new address that names another kind of thing needs another line.
func (e *estate) makers() map[string]func() string {
	all := map[string]func() string{
		"cases/{id}":         func() string { return string(e.file().ID) },
		"facts/{fact}":       func() string { return "F1" }, // every case has one
		"evidence/{n}":       func() string { return "1" },  // and this
		"proposals/{id}":     e.proposal,
		"runs/{id}":          e.run,
		"steps/{seq}":        func() string { return "0" }, // every run has one
		"audit/{record}":     e.record,
		"delegations/{id}":   e.delegation,
		"operations/{id}":    e.operation,
		"holds/{id}":         e.hold,
		"subjects/{subject}": e.subject,
		"people/{id}":        e.colleague,
		"tokens/{id}":        e.token,
		"devices/{id}":       e.device,
		"shifts/{id}":        e.shift,

		"views/{id}":             e.view,
		"pauses/{id}":            e.pause,
		"jobs/{id}":              e.airJob,
		"webhooks/{id}":          e.webhook,
		"mail/{id}":              e.mail,
		"letters/{mail}":         e.letter,
		"messages/{message}":     e.webhookMessage,
		"concerned/{link}":       func() string { link, _ := e.link(); return link },
		"concern-links/{link}":   func() string { link, _ := e.link(); return link },
		"objections/{objection}": e.objection,
		"c/{ref}":                func() string { return e.file().Ref },
		"sources/{source}":       func() string { return stations }, // an application's, and everybody's
		"rail/{section}":         func() string { return "inbox" },  // everybody's own
		"settings/{app}":         func() string { return "poolpatrol" },
		"{app}/{name}":           e.setting,
		"versions/{version}":     func() string { return "0" },
		"{source}/{snapshot}":    func() string { return string(e.snapshot()) },
	}
	maps.Copy(all, e.poolMakers())
	maps.Copy(all, e.airMakers())
	maps.Copy(all, e.netraMakers())
	maps.Copy(all, e.gateMakers())
	maps.Copy(all, e.reportMakers())
	return all
}

// make makes one more thing, and remembers it.
func (e *estate) make(part string) string {
	e.t.Helper()
	e.n++
	id := e.makers()[part]()
	everybodys := []string{stations, "inbox", "poolpatrol", "office"}
	if len(id) > 4 && !slices.Contains(everybodys, id) && !strings.HasPrefix(id, "urn:") { // F1 and P-7 may stand for others' as well
		e.made = append(e.made, id)
	}
	return id
}

var withULID = regexp.MustCompile(`^[a-z]+_[0-9A-HJKMNP-TV-Z]{26}$`)

// twin is an id of the same form that is nobody's.
func twin(id string) string {
	if other := cmp.Or(poolTwin(id), airTwin(id), netraTwin(id), gateTwin(id), reportTwin(id)); other != "" {
		return other
	}
	switch {
	case withULID.MatchString(id):
		return id[:len(id)-ulid.EncodedSize] + ulid.Make().String()
	case strings.HasPrefix(id, "P-"):
		return "P-99999"
	case strings.HasPrefix(id, "rider:"):
		return "rider:nobody"
	case strings.HasPrefix(id, "GEN-"):
		return "GEN-ZZZZZZZZ"
	}
	return id
}

// who is the organisation's person of a role, as their development token has it.
func (e *estate) who(role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: fmt.Sprintf("dev:%s@%s", role, e.org), Name: e.rare, Org: e.org,
		Roles: []identity.Role{role}}
}

func (e *estate) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

// file is a case with a note, a fact and a piece of evidence.
func (e *estate) file() casefile.Case {
	e.t.Helper()
	ctx, officer := e.t.Context(), e.who(identity.Officer)
	c, _, err := e.parts.cases.Open(ctx, officer, casefile.Opening{App: "general", Key: "k" + ulid.Make().String(), Title: e.rare})
	e.must(err)
	e.must(e.parts.cases.Note(ctx, officer, c.ID, "", e.rare))
	analyst := e.who(identity.Analyst)
	stated, err := fact.Read(fact.Reading{Kind: fact.Assumed, Number: "60", Unit: "µg/m3",
		Subject: fact.Subject{Type: "station", IDs: map[string]string{"station": "s"}, Names: fact.Names{EN: []string{e.rare}}},
		Source:  fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: analyst.ID}}}})
	e.must(err)
	_, err = e.kept.evidence.Record(ctx, analyst, c.ID, stated)
	e.must(err)
	snap, err := e.kept.evidence.Snapshot(ctx, e.org, e.snapshot())
	e.must(err)
	_, _, err = e.kept.evidence.Put(ctx, analyst, c.ID, evidence.Putting{SHA256: snap.SHA256, Title: e.rare, Side: evidence.For})
	e.must(err)
	c, err = e.parts.cases.Lookup(ctx, e.org, string(c.ID))
	e.must(err)
	e.tag = fmt.Sprintf(`"%d"`, c.Version)
	e.ref, e.current, e.made = c.Ref, c.ID, append(e.made, c.Ref)
	return c
}

// proposal is one that an officer decides.
func (e *estate) proposal() string {
	e.t.Helper()
	args := []byte(`{"word":"` + e.rare + `"}`)
	p := review.Proposal{Org: e.org, Case: string(e.file().ID), Kind: "call", App: "yard", Tool: "note", Effect: act.Write,
		Key: "run_1/" + ulid.Make().String(), Run: "run_1", Call: "c1", Gate: review.ByAnother, Args: args, ArgsSHA256: act.Digest(args),
		Shown: fmt.Appendf(nil, `{"agent":"clerk","args":%s,"line":%q}`, args, e.rare), RequestedBy: "agent:yard/clerk",
		Deciders: []identity.Role{identity.Officer}, PolicyRecord: "rec_1", CreatedAt: time.Now(), ExpiresAt: time.Now().
				Add(50 * time.Hour)}
	p.ShownSHA256 = act.Digest(p.Shown)
	e.must(e.db.App.InOrg(e.t.Context(), e.org, func(tx pgx.Tx) error {
		var b pgx.Batch
		if err := review.ProposeLater(&b, &p); err != nil {
			return err
		}
		return tx.SendBatch(e.t.Context(), &b).Close()
	}))
	e.tag, e.shown = p.ETag(), p.ShownSHA256
	return p.ID
}

// run is written down as an agent's would be, in place of an engine and a model.
func (e *estate) run() string {
	e.t.Helper()
	c, id, spec := e.file(), "run_"+ulid.Make().String(), []byte(`{"app":"general","name":"clerk","budget":{"calls":40},"route":"plain"}`)
	node := fmt.Appendf(nil, `{"run":%q,"seq":0,"answer":{"role":"assistant","parts":[{"text":%q}]}}`, id, e.rare)
	of, head := sha256.Sum256(spec), sha256.Sum256(node)
	e.admin(`insert into gavel_sys.agent_spec (sha256, app, name, body, first_at) values ($1, 'general', 'clerk', $2, now())
		on conflict do nothing`, of[:], spec)
	e.admin(`insert into gavel.run (org, id, case_id, app, agent, name, spec, root, for_kind, for_id, state, reason, seq, workflow_id,
		workflow_run, started_at, moved_at)
		values ($1, $2, $3, 'general', 'clerk', 'work', $4, $2, 'person', 'asha', 'running', $5, 0, $6, 'x', now(), now())`,
		e.org, id, c.ID, of[:], e.rare, "general/"+string(e.org)+"/"+c.Key)
	e.admin(`insert into gavel.node (org, sha256, sealed, body) values ($1, $2, false, $3)`, e.org, head[:], node)
	e.admin(`insert into gavel.step (org, run_id, seq, kind, at, took_ms, model, head, calls, outcome, record)
		values ($1, $2, 0, 'turn', now(), 1, $3, $4, '[]', '{}', 'rec_x')`,
		e.org, id, `{"provider":"scripted","model":"scripted-1","route":"plain","usage":{"input":7,"output":1}}`, head[:])
	made, err := e.minds.runs.Get(e.t.Context(), e.org, id)
	e.must(err)
	e.tag = fmt.Sprintf(`"%d"`, made.Version)
	return id
}

// admin runs a statement past every wall.
func (e *estate) admin(sql string, args ...any) {
	e.t.Helper()
	conn, err := pgx.Connect(e.t.Context(), e.db.AdminURL)
	e.must(err)
	defer conn.Close(context.WithoutCancel(e.t.Context()))
	_, err = conn.Exec(e.t.Context(), sql, args...)
	e.must(err)
}

func (e *estate) record() (id string) {
	e.t.Helper()
	about := string(e.file().ID)
	e.must(e.db.App.InOrg(e.t.Context(), e.org, func(tx pgx.Tx) error {
		made, err := audit.Append(e.t.Context(), tx, audit.Record{At: time.Now(), Kind: audit.Decision, Subject: about,
			Actor: e.who(identity.Officer), Body: map[string]any{"word": e.rare}})
		id = string(made)
		return err
	}))
	return id
}

func (e *estate) delegation() string {
	e.t.Helper()
	d, err := e.minds.reviews.Delegate(e.t.Context(), e.who(identity.Officer),
		review.Delegating{To: e.who(identity.ProgrammeManager).ID, EndsAt: time.Now().Add(24 * time.Hour), Reason: e.rare})
	e.must(err)
	return d.ID
}

// operation has made a file.
func (e *estate) operation() string {
	e.t.Helper()
	ctx := e.t.Context()
	o, err := e.operations.Start(ctx, e.asks, "bundle", string(e.file().ID), func(ctx context.Context, pen *operation.Pen) (any, error) {
		pen.File(string(e.org)+".txt", "text/plain")
		return map[string]string{"word": e.rare}, pen.Put(ctx, []byte(e.rare))
	})
	e.must(err)
	o, err = e.operations.Wait(ctx, e.asks, o.ID, time.Minute)
	e.must(err)
	if o.State != operation.Done {
		e.t.Fatalf("the operation is %s", o.State)
	}
	return o.ID
}

// rider is somebody whose data are held.
func (e *estate) rider() seal.Subject {
	return seal.Subject{Type: "rider", ID: fmt.Sprintf("R-%s-%04d", e.org, e.n)} // none begins as another does
}

func (e *estate) hold() string {
	e.t.Helper()
	h, err := e.kept.vault.Hold(e.t.Context(), e.who(identity.OrgAdmin), seal.Target{Subject: e.rider()}, e.rare, time.Time{})
	e.must(err)
	return h.ID
}

func (e *estate) subject() string {
	e.t.Helper()
	one := e.rider()
	e.must(e.parts.cases.NameSubjects(e.t.Context(), e.who(identity.OrgAdmin), e.file().ID, 0, one))
	return one.String()
}

// sequence has the log take in what was recorded.
func (e *estate) sequence() {
	e.t.Helper()
	s, err := audit.NewSequencer(audit.SequencerConfig{System: e.sys, Signer: e.cli.cfg.LogKey.Reveal(), Now: time.Now,
		Logger: slog.New(slog.DiscardHandler)})
	e.must(err)
	_, err = s.Drain(e.t.Context())
	e.must(err)
}
