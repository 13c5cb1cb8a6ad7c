package experiment_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"go.temporal.io/sdk/client"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/eval/experiment"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/openai"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

var (
	admin = identity.Actor{Kind: identity.Person, ID: "asha", Org: postgrestest.North, Roles: []identity.Role{identity.OrgAdmin}}
	other = identity.Actor{Kind: identity.Person, ID: "ravi", Org: postgrestest.South, Roles: []identity.Role{identity.OrgAdmin}}
	guard = identity.Actor{Kind: identity.Person, ID: "devi", Org: postgrestest.North, Roles: []identity.Role{identity.Gate}}
)

// A lab is an installation that measures: a database, an engine, and a model that answers
// from a script over HTTP and counts.
type lab struct {
	t     *testing.T
	db    *postgrestest.Database
	model *scripted.Server
	store *experiment.Store
	sets  experiment.Sets
	wrong func(task string) bool // what the script answers wrongly
	dies  atomic.Int64           // the item after whose answer a worker dies; 0: none
	asks  client.Client
	cfg   durable.Config
}

func newLab(t *testing.T, cases int) *lab {
	t.Helper()
	l := &lab{t: t, wrong: func(string) bool { return false }}
	l.db = postgrestest.New(t, outbox.Migrations(), audit.Migrations(), job.Migrations(), experiment.Migrations())
	var err error
	l.model, err = scripted.New(scripted.Config{Reply: func(seen scripted.Seen) (scripted.Answer, bool) {
		if l.wrong(seen.Task) {
			return scripted.Answer{Text: "no"}, true
		}
		return scripted.Answer{Text: "yes"}, true
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(l.model)
	t.Cleanup(server.Close)
	ask, err := openai.New(openai.Config{BaseURL: server.URL + "/v1", Provider: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.Load(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.sets = experiment.Sets{"yard/asked": {Name: "asked", Words: "what is asked", Files: dataset(cases), Route: "plain",
		Answer: l.answer, Scoring: "1", Subject: fmt.Sprintf("%x", sha256.Sum256([]byte("brief 1"))),
		Metrics: []eval.Metric{{Name: "right", Goal: eval.AtLeast(950), Model: true}, {Name: "wrong", Goal: eval.AtMost(50)},
			{Name: "words", Count: true}}}}
	price := &model.Price{Currency: "USD", Input: 1_000_000, Output: 1_000_000}
	l.store = experiment.NewStore(experiment.Config{DB: l.db.App, Rules: rules, Sets: l.sets,
		Routes: model.Routes{"plain": {Name: "plain", Provider: "scripted", Model: "scripted", Ask: ask, Price: price}}})
	return l
}

// dataset is so many cases in two languages, half each.
func dataset(n int) fstest.MapFS {
	var body strings.Builder
	for i := range n {
		language := []string{"en", "hi"}[i*2/n]
		fmt.Fprintf(&body, `{"id":"case-%03d","inputs":{"ask":"%s %d"},"expected":{},"metadata":{"language":%q}}`+"\n", i, language, i,
			language)
	}
	head := fmt.Sprintf(`{"name":"yard/asked","version":"1","sha256":"%x"}`, sha256.Sum256([]byte(body.String())))
	return fstest.MapFS{"dataset.json": {Data: []byte(head)}, "cases.jsonl": {Data: []byte(body.String())}}
}

// answer asks the model about a case, if there is one.
func (l *lab) answer(ctx context.Context, c eval.Case, with eval.Models) (out eval.Outcome, err error) {
	var in struct{ Ask string }
	if err := json.Unmarshal(c.Inputs, &in); err != nil || with.Real == nil {
		return out, err
	}
	got, err := with.Real.Ask.Generate(ctx, model.Request{Model: "scripted", System: "agent: yard", Messages: []model.Message{
		{Role: model.User, Parts: []model.Part{{Text: in.Ask}}}}})
	if err != nil {
		return out, err
	}
	if at := l.dies.Load(); at > 0 && l.model.Requests() >= int(at) && l.dies.CompareAndSwap(at, 0) {
		return out, fault.New(fault.Unavailable, "the worker dies: what it was told is lost")
	}
	hit := 0
	if got.Message.Text() == "yes" {
		hit = 1
	} else {
		out.Differences = []string{"got " + got.Message.Text()}
	}
	out.Marks = []eval.Mark{{Metric: "right", Hits: hit, Of: 1}, {Metric: "wrong", Hits: 1 - hit, Of: 1}, {Metric: "words", Hits: 1, Of: 1}}
	return out, nil
}

// engine tells the engine what is to begin.
func (l *lab) engine() {
	l.cfg = durabletest.Own(l.t)
	l.asks = durabletest.DialTo(l.t, l.cfg)
	e := outbox.NewEngine(l.asks, l.cfg.Memo, l.db.System)
	l.behind(outbox.NewDispatcher(l.db.System, e, 1000, slog.New(slog.DiscardHandler)).Run)
}

func (l *lab) behind(run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := run(ctx); err != nil && ctx.Err() == nil {
			l.t.Error(err)
		}
	}()
	stop = func() { cancel(); <-ended }
	l.t.Cleanup(stop)
	return stop
}

// work has a worker carry experiments out until stop is called.
func (l *lab) work() (stop func()) {
	c := durabletest.DialTo(l.t, l.cfg)
	return l.behind(func(ctx context.Context) error {
		return durable.Run(ctx, c, durable.Version{}, slog.New(slog.DiscardHandler), l.store.Work(durable.Work{App: experiment.Job.App}))
	})
}

func (l *lab) start(p experiment.Plan) experiment.Experiment {
	l.t.Helper()
	p.Set = "yard/asked"
	e, _, err := l.store.Start(l.t.Context(), admin, p, p.Name)
	if err != nil {
		l.t.Fatal(err)
	}
	return e
}

func (l *lab) of(id string) experiment.Standing {
	l.t.Helper()
	st, err := l.store.Of(l.t.Context(), admin, id)
	if err != nil {
		l.t.Fatal(err)
	}
	return st
}

func (l *lab) ended(id string) (st experiment.Standing) {
	l.t.Helper()
	wait.Until(l.t, "the experiment ends", func() bool {
		st = l.of(id)
		return st.Job.State != job.Running
	})
	return st
}

// whole has an experiment carried out from beginning to end.
func (l *lab) whole(p experiment.Plan) experiment.Standing {
	l.t.Helper()
	return l.ended(l.start(p).ID)
}
