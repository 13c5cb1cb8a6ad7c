package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/gowebpki/jcs"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/tool/tooltest"
)

// tone is an enum of a tool's arguments.
type tone string

func (tone) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"plain", "firm"}}
}

// day is a date of a tool's arguments.
type day string

func (day) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Format: "date"} }

type (
	letter struct {
		To     string `json:"to" jsonschema:"Whom it goes to."`
		Text   string `json:"text"`
		Copies int    `json:"copies"`
		Urgent bool   `json:"urgent"`
		Tone   tone   `json:"tone"`
		By     day    `json:"by,omitempty"`
		Note   string `json:"note,omitempty"`
	}
	item struct {
		What  string  `json:"what"`
		Count int     `json:"count"`
		Price float64 `json:"price,omitempty"`
	}
	order struct {
		Items  []item         `json:"items"`
		Tags   []string       `json:"tags,omitempty"`
		Where  *place         `json:"where,omitempty"`
		Extra  map[string]int `json:"extra,omitempty"`
		Amount float64        `json:"amount"`
	}
	place struct {
		Street string `json:"street"`
		Floor  *int   `json:"floor,omitempty"`
	}
	sign struct{}
	// matter has several outcomes, each with fields of its own.
	matter struct {
		Outcome outcome `json:"outcome"`
		Until   day     `json:"until,omitempty"`
		Why     string  `json:"why,omitempty"`
	}
	outcome string
)

func (outcome) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"look_again", "allow", "end"}}
}

// tools are those that proposals of the stage are about: one for each shape of
// arguments.
func tools(t testing.TB) *tool.Registry {
	t.Helper()
	declared := func(name, line string, effect tool.Effect) tool.Tool {
		return tool.Tool{App: "general", Name: name, Line: line, Effect: effect, Roles: []identity.Role{identity.Officer},
			Deciders: []identity.Role{identity.Officer}}
	}
	post := declared("send_letter", "Send a letter to a rider.", tool.Outside)
	post.Undo = time.Hour
	settle := declared("settle_matter", "Settle the matter.", tool.Write)
	settle.Choices = tool.Choices{Arg: "outcome", All: []tool.Choice{{Value: "look_again"},
		{Value: "allow", Fields: []string{"until", "why"}, Must: []string{"until", "why"}}, {Value: "end", Fields: []string{"why"}}}}
	all, err := tool.NewRegistry(
		tooltest.Finds[matter](tool.Writes(settle, func(context.Context, pgx.Tx, tool.Env, matter) (sign, error) { return sign{}, nil })),
		tooltest.Finds[letter](tool.Foresees(tool.Sends(post, func(context.Context, tool.Env, letter) (sign, error) { return sign{}, nil },
			nil), func(_ context.Context, _ pgx.Tx, _ tool.Env, l letter) error {
			if l.Copies > 50 {
				return fault.New(fault.Conflict, "the printer takes 50 at a time").On("copies", form.BadHigh, "50")
			}
			return nil
		})),
		tooltest.Finds[order](tool.Writes(declared("place_order", "Order things for the depot.", tool.Write), func(context.Context, pgx.Tx,
			tool.Env, order) (sign, error) {
			return sign{}, nil
		})),
		tooltest.Finds[sign](tool.Reads(declared("look_up", "Look up the register.", tool.Read), func(context.Context, tool.Env,
			sign) (sign, error) {
			return sign{}, nil
		})),
	)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// samples are arguments of every tool, and an edit of each: the control, what is
// typed, and what comes of it.
var samples = map[string]struct{ args, control, typed, want string }{
	"send_letter": {`{"copies":2,"text":"Dear R.,\nyour shift has changed.","to":"R. Devi","tone":"plain","urgent":false}`, "v/copies", "3",
		`{"copies":3,"text":"Dear R.,\nyour shift has changed.","to":"R. Devi","tone":"plain","urgent":false}`},
	"place_order": {`{"amount":12.5,"extra":{"a":1},"items":[{"count":1,"what":"laptop"},{"count":2,"price":0.5,"what":"badge"}],"where":{"street":"Sector 9"}}`, "v/items/1/count", "4",
		`{"amount":12.5,"extra":{"a":1},"items":[{"count":1,"what":"laptop"},{"count":4,"price":0.5,"what":"badge"}],"where":{"street":"Sector 9"}}`},
	"look_up":       {`{}`, "", "", `{}`},
	"settle_matter": {`{"outcome":"look_again"}`, "", "", `{"outcome":"look_again"}`},
}

// filingKind is the kind of proposals that are legal filings.
const filingKind = "filing"

// weightyKind is the kind of proposals by which somebody loses something.
const weightyKind = "weighty"

var weighty = review.Kind{Name: weightyKind, Class: func(review.Proposal) review.Class { return review.Weighty }}

var filings = review.Kind{Name: filingKind, Class: func(review.Proposal) review.Class { return review.LegalFiling }}

// people decide and review with real tools behind them, and the engine answers as
// s.engine says.
func (s *stage) people(t testing.TB) console.Config {
	t.Helper()
	registry := tools(t)
	var err error
	s.desk, err = review.New(review.Config{DB: s.db.App, Rules: policy.Standard(), Acts: s.Acts,
		Kinds: []review.Kind{agent.CallKind(registry), filings, weighty}, Person: somebody, People: everybody,
		Grounds: evidence.GroundsText, SameGrounds: evidence.SameGrounds, Objected: concern.Objected,
		Recheck: func(_ context.Context, _ review.Proposal, args json.RawMessage) error {
			if strings.Contains(string(args), "the mayor") {
				return fault.New(fault.Refused, "policy does not allow letters to the mayor")
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return console.Config{Reviews: s.desk, Acts: s.Acts, Engine: s.engine, Editing: func(p review.Proposal) (console.Editing, bool) {
		tl, ok := registry.Find(p.App, p.Tool)
		return console.Editing{Schema: tl.Spec().Schema, Check: tl.Check, Choices: tl.Choices}, ok && p.Kind == "call"
	}}
}

// somebody finds the people whom development tokens stand for.
func somebody(_ context.Context, _ pgx.Tx, org identity.Org, id string) (identity.Actor, error) {
	for _, role := range identity.Roles() {
		if a := person(org, role); a.ID == id {
			return a, nil
		}
	}
	return identity.Actor{}, fault.New(fault.NotFound, "nobody here is called %.60q", id)
}

// everybody lists them.
func everybody(_ context.Context, _ pgx.Tx, org identity.Org, _ int) (all []identity.Actor, _ error) {
	for _, role := range identity.Roles() {
		all = append(all, person(org, role))
	}
	return all, nil
}

// engine answers unless a test has stopped it.
func (s *stage) engine(context.Context) error {
	if s.stopped.Load() {
		return errors.New("no engine")
	}
	return nil
}

// offer is a proposal of a tool's call as an agent makes it; edit changes it
// before it is made.
func (s *stage) offer(t testing.TB, c casefile.Case, name string, edit ...func(*review.Proposal)) review.Proposal {
	t.Helper()
	tl, ok := tools(t).Find("general", name)
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	s.offers++
	args := json.RawMessage(samples[name].args)
	p := review.Proposal{Org: c.Org, Case: string(c.ID), Kind: "call", App: "general", Tool: name, Effect: string(tl.Effect),
		Key: fmt.Sprintf("run_1/%d", s.offers),
		Run: "run_1", Call: fmt.Sprint(s.offers), Gate: review.ByAnother, Args: args, RequestedBy: "agent:general/clerk",
		Deciders: tl.Deciders, PolicyRecord: "rec_x", Undo: tl.Undo, ExpiresAt: time.Now().Add(50 * time.Hour), CreatedAt: time.Now()}
	for _, e := range edit {
		e(&p)
	}
	if p.Shown == nil {
		p.Shown = canon(t, map[string]any{"tool": name, "line": tl.Line, "effect": tl.Effect, "args": p.Args, "agent": "clerk",
			"role": "Writes to riders.",
			"said": "The van stopped off its route on 6 of 9 nights, so the rider is asked.", "case": c.ID})
	}
	return s.put(t, p)
}

// put makes a proposal.
func (s *stage) put(t testing.TB, p review.Proposal) review.Proposal {
	t.Helper()
	p.ArgsSHA256, p.ShownSHA256 = act.Digest(p.Args), act.Digest(p.Shown)
	err := s.db.App.InOrg(t.Context(), p.Org, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		if err := review.ProposeLater(b, &p); err != nil {
			return err
		}
		return tx.SendBatch(t.Context(), b).Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func canon(t testing.TB, v any) json.RawMessage {
	t.Helper()
	text, err := jcs.Transform(mustJSON(t, v))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// odd makes it a proposal of a kind that no page knows.
func odd(p *review.Proposal) {
	p.Kind, p.Tool, p.Effect, p.Undo = "tariff", "", "", 0
	p.Args = json.RawMessage(`{"rate":4.5,"when":null}`)
	p.Shown = json.RawMessage(`{"band":"night","rates":[1,2],"until":{"day":14}}`)
}

var hiddenForm = regexp.MustCompile(`<input type="hidden"(?: form="decide")? name="([a-z]+)" value="([^"]*)"`)

// hidden are the hidden fields of a page: what a browser sends along.
func hidden(body string) url.Values {
	all := url.Values{}
	for _, m := range hiddenForm.FindAllStringSubmatch(body, -1) {
		all.Set(m[1], strings.NewReplacer("&#34;", `"`, "&quot;", `"`, "&amp;", "&", "&lt;", "<", "&gt;", ">", "&#39;", "'").Replace(m[2]))
	}
	return all
}

// answer opens the proposal's page as a role does and sends an answer from it.
func (s *stage) answer(t testing.TB, role identity.Role, p review.Proposal, verdict review.Verdict, reason string) reply {
	t.Helper()
	path := "/proposals/" + p.ID
	page := s.askAs(t, role, path+"?answer="+string(verdict), nil)
	form := hidden(page.body)
	form.Set("verdict", string(verdict))
	form.Set("reason", reason)
	part := "/decisions"
	if verdict == review.Undo {
		part = "/undo"
	}
	return s.askAs(t, role, path+part, form)
}

// stands is a proposal as it is now.
func (s *stage) stands(t testing.TB, id string) review.Proposal {
	t.Helper()
	p, err := s.desk.Get(t.Context(), person(postgrestest.North, identity.Officer), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tally is how many rows of everything that a decision writes there are.
func (s *stage) tally(t testing.TB) string {
	t.Helper()
	const sql = `select format('%s decisions, %s acts, %s records, %s to the engine, %s entries, proposals %s',
		(select count(*) from gavel.decision), (select count(*) from gavel.act),
		(select count(*) from gavel.record where kind <> 'log_key'),
		(select count(*) from gavel.outbox), (select count(*) from gavel.case_entry),
		(select md5(string_agg(p::text, ',' order by p.id)) from gavel.proposal p))`
	return one[string](t, s.db, sql)
}

func one[T any](t testing.TB, db *postgrestest.Database, sql string, args ...any) T {
	t.Helper()
	rows, _ := db.System.Query(t.Context(), sql, args...)
	v, err := pgx.CollectOneRow(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}
