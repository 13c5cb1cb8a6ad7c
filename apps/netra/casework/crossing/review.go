package crossing

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/alert"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// toolReview is what an officer decides about a crossing.
const toolReview = "review_crossing"

// An outcome is what follows from a crossing.
type outcome string

// The outcomes, the mildest first.
const (
	noAction outcome = "no_action" // nothing follows
	watchOn  outcome = "watch"     // it is watched
	doubt    outcome = "doubt"     // the data are doubted
	actOn    outcome = "act"       // measures are taken, outside of Gavel
)

// JSONSchema lists them.
func (outcome) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{string(watchOn), string(noAction), string(doubt), string(actOn)},
		Description: "watch: keep watching; no_action: nothing follows; doubt: the data are doubted; act: measures are taken."}
}

// A shown is what the case itself says: nobody edits it.
type shown string

// JSONSchema says so.
func (shown) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "As the case has it."}
}

// An attempt is how often people were asked; it keeps one question apart from the next.
type attempt int

// JSONSchema says that nobody reads it.
func (attempt) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", ReadOnly: true, Extra: map[string]any{form.HiddenWord: true}}
}

// reviewArgs are what an officer decides.
type reviewArgs struct {
	Outcome outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty" jsonschema:"Why. Name nobody."`
	Dissent string  `json:"dissent,omitempty" jsonschema:"What speaks against it, or how somebody else sees it. Name nobody."`
	Band    shown   `json:"band,omitempty"`
	Attempt attempt `json:"attempt,omitempty"`
}

// reviewed is what was written down.
type reviewed struct {
	Outcome string `json:"outcome"`
}

// maxWords bounds a reason and a dissent, in characters.
const maxWords = 2000

func (c *Clerk) reviewTool() tool.Tool {
	officers := []identity.Role{identity.Officer}
	words := []string{"reason", "dissent"}
	one := func(o outcome) tool.Choice { return tool.Choice{Value: string(o), Fields: words, Must: words[:1]} }
	t := tool.Tool{App: store.Name, Name: toolReview, Line: "Decide what follows from a district's crossing into a band.", Effect: tool.Write,
		Gate: tool.Approve, Roles: officers, Deciders: officers, EscalateTo: officers, RemindAfter: 4 * time.Hour,
		EscalateAfter: 12 * time.Hour, ExpireAfter: 7 * 24 * time.Hour,
		Choices: tool.Choices{Arg: "outcome", All: []tool.Choice{one(watchOn), one(noAction), one(doubt), one(actOn)}}}
	return tool.Finds(tool.Binds(tool.Foresees(tool.Writes(t, c.write), c.foresee), c.bind), c.find)
}

// foresee refuses what cannot be written down, before anybody approves it.
func (c *Clerk) foresee(_ context.Context, _ pgx.Tx, _ tool.Env, in reviewArgs) error {
	return in.check()
}

func (in reviewArgs) check() error {
	if strings.TrimSpace(in.Reason) == "" {
		return fault.New(fault.Invalid, "give a reason").WithNext("say in a sentence why").On("reason", "netra_reason", "")
	}
	for field, text := range map[string]string{"reason": in.Reason, "dissent": in.Dissent} {
		if len([]rune(text)) > maxWords {
			return fault.New(fault.TooLarge, "the %s has more than %d characters", field, maxWords)
		}
		if store.Impersonal(text) != nil {
			return fault.New(fault.Invalid, "the %s names a person or gives their data; say it without", field).
				WithNext("leave out names, numbers, addresses and accounts").On(field, "netra_personal", "")
		}
	}
	return nil
}

// bind is a review as the case has it.
func (c *Clerk) bind(ctx context.Context, tx pgx.Tx, e tool.Env, in reviewArgs) (reviewArgs, error) {
	a, err := store.AlertOf(ctx, tx, casefile.CaseID(e.Case))
	in.Band = shown(a.Band.String())
	return in, err
}

// find is what was found when the district crossed.
func (c *Clerk) find(ctx context.Context, tx pgx.Tx, e tool.Env, _ reviewArgs) (finding.Finding, error) {
	a, err := store.AlertOf(ctx, tx, casefile.CaseID(e.Case))
	return crossingOf(a).Finding(), err
}

func crossingOf(a store.Alert) alert.Crossing {
	return alert.Crossing{LGD: a.LGD, District: a.District, State: a.State, Link: "/netra/districts/" + url.PathEscape(strconv.Itoa(a.LGD)),
		Band: a.Band, From: a.From, Found: a.Found}
}

// write keeps what an officer decided, with who decided it.
func (c *Clerk) write(ctx context.Context, tx pgx.Tx, e tool.Env, in reviewArgs) (reviewed, error) {
	if err := in.check(); err != nil {
		return reviewed{}, err
	}
	q, ok, err := review.QuestionOf(ctx, tx, e.Org, e.Key)
	switch {
	case err != nil:
		return reviewed{}, err
	case !ok || q.Made.ActorID == "":
		return reviewed{}, fault.New(fault.Refused, "nobody has approved this")
	}
	file, err := casefile.Lock(ctx, tx, casefile.CaseID(e.Case))
	if err != nil {
		return reviewed{}, err
	}
	r := store.Review{Act: e.Key, Case: file.ID, Outcome: string(in.Outcome), Reason: strings.TrimSpace(in.Reason),
		Dissent: strings.TrimSpace(in.Dissent), ByID: q.Made.ActorID, At: e.At}
	return reviewed{r.Outcome}, store.AddReview(ctx, tx, e.Org, r)
}
