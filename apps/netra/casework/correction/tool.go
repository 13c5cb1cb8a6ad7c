package correction

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// toolDecide is what an officer decides about a correction.
const toolDecide = "decide_correction"

// An outcome is what follows from a correction.
type outcome string

// The outcomes.
const (
	accept outcome = "accept"
	refuse outcome = "refuse"
)

// JSONSchema lists them.
func (outcome) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{string(accept), string(refuse)},
		Description: "accept: the signal counts as the correction says, and scores are computed again; refuse: it stays."}
}

// A shown text is what the record says: nobody edits it.
type shown string

// JSONSchema says so.
func (shown) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "As the record has it."}
}

// An attempt is how often people were asked; it keeps one question apart from the next.
type attempt int

// JSONSchema says that nobody reads it.
func (attempt) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", ReadOnly: true, Extra: map[string]any{form.HiddenWord: true}}
}

// decideArgs are what an officer decides.
type decideArgs struct {
	Outcome outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty" jsonschema:"Why. Name nobody."`
	Signal  shown   `json:"signal,omitempty"`
	Kind    shown   `json:"kind,omitempty"`
	Attempt attempt `json:"attempt,omitempty"`
}

// decided is what was written down.
type decided struct {
	Outcome string `json:"outcome"`
	Scores  int    `json:"scores_computed_again"`
}

// Tools are what people decide about.
func (c *Clerk) Tools() []tool.Tool {
	officers := []identity.Role{identity.Officer}
	fields := []string{"reason"}
	t := tool.Tool{App: store.Name, Name: toolDecide, Line: "Decide whether a correction of a signal is accepted; scores are computed again.",
		Effect: tool.Write, Gate: tool.Approve, Roles: []identity.Role{identity.Analyst, identity.Officer}, Deciders: officers,
		EscalateTo: officers, ExpireAfter: 14 * 24 * time.Hour,
		Choices: tool.Choices{Arg: "outcome", All: []tool.Choice{{Value: string(accept), Fields: fields, Must: fields},
			{Value: string(refuse), Fields: fields, Must: fields}}}}
	return []tool.Tool{tool.Finds(tool.Binds(tool.Foresees(tool.Writes(t, c.decide), c.foresee), c.bind), c.find)}
}

func (in decideArgs) check() error {
	if strings.TrimSpace(in.Reason) == "" {
		return fault.New(fault.Invalid, "give a reason").WithNext("say in a sentence why").On("reason", "netra_reason", "")
	}
	if len([]rune(in.Reason)) > maxReason {
		return fault.New(fault.TooLarge, "the reason has more than %d characters", maxReason)
	}
	if store.Impersonal(in.Reason) != nil {
		return fault.New(fault.Invalid, "the reason names a person or gives their data; say it without").
			WithNext("leave out names, numbers, addresses and accounts").On("reason", "netra_personal", "")
	}
	return nil
}

// foresee refuses what cannot be written down, before anybody approves it.
func (c *Clerk) foresee(_ context.Context, _ pgx.Tx, _ tool.Env, in decideArgs) error {
	return in.check()
}

// bind is a decision as the record has it.
func (c *Clerk) bind(ctx context.Context, tx pgx.Tx, e tool.Env, in decideArgs) (decideArgs, error) {
	x, err := store.CorrectionOfCase(ctx, tx, casefile.CaseID(e.Case))
	in.Signal, in.Kind = shown(x.EventID), shown(x.Kind)
	return in, err
}

// decide writes down what an officer decided, and computes the scores again where the correction is accepted.
func (c *Clerk) decide(ctx context.Context, tx pgx.Tx, e tool.Env, in decideArgs) (decided, error) {
	if err := in.check(); err != nil {
		return decided{}, err
	}
	q, ok, err := review.QuestionOf(ctx, tx, e.Org, e.Key)
	switch {
	case err != nil:
		return decided{}, err
	case !ok || q.Made.ActorID == "":
		return decided{}, fault.New(fault.Refused, "nobody has approved this")
	}
	if _, err := casefile.Lock(ctx, tx, casefile.CaseID(e.Case)); err != nil {
		return decided{}, err
	}
	x, err := store.CorrectionOfCase(ctx, tx, casefile.CaseID(e.Case))
	if err != nil {
		return decided{}, err
	}
	if x.State != store.CorrectionFiled {
		return decided{}, fault.New(fault.Conflict, "correction %s is decided already", x.ID)
	}
	if q.Made.ActorID == x.FiledBy {
		return decided{}, fault.New(fault.Refused, "who filed a correction does not decide it").WithNext("have another officer decide")
	}
	x.State, x.Act, x.ByID, x.Why, x.DecidedAt = store.CorrectionRefused, e.Key, q.Made.ActorID, strings.TrimSpace(in.Reason), &e.At
	if in.Outcome == accept {
		x.State = store.CorrectionAccepted
		by, err := geo(ctx, tx, x)
		if err != nil {
			return decided{}, err
		}
		if x.Recomputed, err = c.desk.Correct(ctx, tx, e.Org, x, by); err != nil {
			return decided{}, err
		}
	}
	return decided{string(in.Outcome), len(x.Recomputed)}, store.DecideCorrection(ctx, tx, x)
}

// geo is what a signal is multiplied by in the district it belongs to.
func geo(ctx context.Context, tx pgx.Tx, x store.Correction) (float64, error) {
	book, err := store.BookIn(ctx, tx)
	if err != nil || x.ToLGD == 0 {
		return 1, err
	}
	by, _ := book.Table().Multiplier(x.ToLGD, x.At)
	return by, nil
}

// find is what the officer reads first.
func (c *Clerk) find(ctx context.Context, tx pgx.Tx, e tool.Env, _ decideArgs) (finding.Finding, error) {
	x, err := store.CorrectionOfCase(ctx, tx, casefile.CaseID(e.Case))
	if err != nil {
		return finding.Finding{}, err
	}
	book, err := store.BookIn(ctx, tx)
	if err != nil {
		return finding.Finding{}, err
	}
	d, _ := book.Find(x.LGD, c.store.Now())
	what, why := says(x), finding.Line(reason.Tidy(x.Reason))
	f := finding.Finding{Subject: finding.Subject{Kind: "district", Name: finding.Short(d.Name), Of: finding.Short(d.State),
		Link: "/netra/districts/" + url.PathEscape(strconv.Itoa(x.LGD))}, Brief: what, Says: what,
		For:     []finding.Point{finding.Say("Reason given: "+why, "दिया गया कारण: "+why)},
		Unknown: []finding.Point{finding.Say("Whether the correction is right: code cannot tell.", "सुधार सही है या नहीं, यह कोड नहीं बता सकता।")},
		Change: finding.Words{En: "Accepting it computes the scores again. Scores that were given out stay.",
			Hi: "स्वीकार करने पर अंक फिर गिने जाएँगे। दिए जा चुके अंक नहीं बदलेंगे।"},
		Plain: finding.Words{En: "A correction of a signal waits for an officer.", Hi: "एक संकेत का सुधार अधिकारी की प्रतीक्षा में है।"}}
	return f.Unmeasured(finding.Words{En: "A correction has no measure.", Hi: "सुधार का कोई माप नहीं होता।"}), nil
}

// says is what a correction says is wrong.
func says(x store.Correction) finding.Words {
	id := finding.Short(x.EventID)
	switch x.Kind {
	case store.DuplicateSignal:
		other := finding.Short(x.Other)
		return finding.Words{En: fmt.Sprintf("Signal %s is said to tell of the same event as %s.", id, other),
			Hi: fmt.Sprintf("संकेत %s को %s वाली ही घटना का बताया गया है।", id, other)}
	case store.WrongDistrict:
		return finding.Words{En: fmt.Sprintf("Signal %s is said to belong to district %d.", id, x.ToLGD),
			Hi: fmt.Sprintf("संकेत %s को ज़िला %d का बताया गया है।", id, x.ToLGD)}
	}
	return finding.Words{En: fmt.Sprintf("Signal %s is said to be wrong.", id), Hi: fmt.Sprintf("संकेत %s को ग़लत बताया गया है।", id)}
}
