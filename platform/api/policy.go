package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/tool"
)

// Bounds of a simulation. A set has 2,000 policies at most, and nobody reads more
// changed calls than these.
const (
	maxPolicyBody = 1 << 20
	mostChanged   = 1_000
	longestLook   = 400 * 24 * time.Hour
)

// Policy answers for who may do what, why, and what other policies would have
// made of past calls.
type Policy struct {
	Rules *policy.Rules
	Tools *tool.Registry
	Runs  *agent.Store
	// Person finds somebody of the organisation with the roles they hold now. Nil:
	// nobody can be asked about by name.
	Person func(ctx context.Context, org identity.Org, id string) (identity.Actor, error)
}

// Operations registers what it answers.
func (s *Policy) Operations(a *API) {
	const tag = "Policy"
	Serve(a, Route{ID: "readPolicy", Method: http.MethodGet, Path: "/v1/policy", Acts: []string{"policy.read"}, Tag: tag,
		Title: "Read who may do what",
		Text: "Every role, and every scope of a token, by every act and tool. Where a policy looks at more than that, the cell says " +
			"what it may come to and on what it depends."}, s.read)
	List(a, Route{ID: "listPolicyCells", Path: "/v1/policy/cells", Acts: []string{"policy.read"}, Tag: tag,
		Title: "List who may do what, a row for each answer"}, s.cells)
	Serve(a, Route{ID: "readPolicyFiles", Method: http.MethodGet, Path: "/v1/policy/files", Acts: []string{"policy.read"}, Tag: tag,
		Title: "Read the policies as they are written"}, s.files)
	Serve(a, Route{ID: "explainPolicy", Method: http.MethodPost, Path: "/v1/policy/explain", Acts: []string{"policy.read"}, Tag: tag,
		Title:   "Explain why somebody may or may not do something",
		Text:    "Name an act or a tool, and who would do it: a role, a person, a token's scopes, or nobody for yourself. Nothing is done.",
		Untried: "it does nothing", Body: `{"what":"case.close","role":"analyst"}`, MaxBody: maxPolicyBody}, s.explain)
	Serve(a, Route{ID: "simulatePolicy", Method: http.MethodPost, Path: "/v1/policy/simulate", Acts: []string{"policy.simulate"}, Tag: tag,
		Title: "Try other policies on past calls",
		Text: "The files replace the sets whose folders they are in. Calls of runs that began since then are put to them; nothing is " +
			"done, and what cannot be told is counted with the reason.",
		Untried: "it does nothing", Body: `{"since":"720h","files":[{"name":"platform/cases.cedar","text":"…"}]}`, MaxBody: maxPolicyBody,
		Slow: true}, s.simulate(a))
}

// A PolicyBody is who may do what.
type PolicyBody struct {
	policy.Table
	Sets map[string]string `json:"sets" doc:"The digest of each set, by its name: platform, or an application's."`
}

type policyOutput struct{ Body PolicyBody }

func (s *Policy) read(_ context.Context, who identity.Actor, _ *struct{}) (*policyOutput, error) {
	body := PolicyBody{Table: s.Rules.Table(who.Org, agent.PolicyTools(s.Tools)...), Sets: map[string]string{}}
	for _, name := range s.Rules.Sets() {
		body.Sets[name] = s.Rules.Set(name).Digest()
	}
	return &policyOutput{body}, nil
}

// A PolicyFileBody is one file of policies, named with the folder of its set.
type PolicyFileBody struct {
	Name string `json:"name" maxLength:"200" doc:"platform/cases.cedar"`
	Text string `json:"text" maxLength:"65536"`
}

// A PolicyFilesBody is all of them.
type PolicyFilesBody struct {
	Digest string           `json:"digest" doc:"As sha256sum *.cedar | sha256sum would make it, over the names with their folders."`
	Files  []PolicyFileBody `json:"files"`
}

type policyFilesOutput struct{ Body PolicyFilesBody }

func (s *Policy) files(context.Context, identity.Actor, *struct{}) (*policyFilesOutput, error) {
	out := PolicyFilesBody{Digest: s.Rules.Digest(), Files: []PolicyFileBody{}}
	for _, f := range s.Rules.Files() {
		out.Files = append(out.Files, PolicyFileBody{f.Name, string(f.Text)})
	}
	return &policyFilesOutput{out}, nil
}

// An ExplainBody says who would do what.
type ExplainBody struct {
	What    string          `json:"what" maxLength:"130" doc:"An act, case.close, or a tool with its application, poolpatrol.send_letter."`
	Role    string          `json:"role,omitempty" doc:"Of whoever would do it."`
	Person  string          `json:"person,omitempty" doc:"The id of somebody of the organisation."`
	Scopes  []string        `json:"scopes,omitempty" maxItems:"50" doc:"Of a machine's token."`
	Args    json.RawMessage `json:"args,omitempty" doc:"The tool's arguments, a JSON object."`
	Case    string          `json:"case,omitempty" maxLength:"60" doc:"The id of the case it is about."`
	Tainted bool            `json:"tainted,omitempty" doc:"Text from outside has been read."`
}

type explainInput struct{ Body ExplainBody }

type explainOutput struct{ Body policy.Explanation }

func (s *Policy) explain(ctx context.Context, who identity.Actor, in *explainInput) (*explainOutput, error) {
	b := in.Body
	actor, err := s.asked(ctx, who, b)
	if err != nil {
		return nil, err
	}
	app, name, isTool := strings.Cut(b.What, ".")
	t, found := s.Tools.Find(app, name)
	if !isTool || !found {
		out, err := s.Rules.ExplainAct(actor, b.What)
		return &explainOutput{out}, err
	}
	q := policy.Question{Actor: actor, App: app, Tool: name, Effect: string(t.Effect), Case: b.Case, Args: b.Args, Taint: b.Tainted}
	if actor.Kind == identity.Person { // tools are called by an agent for somebody
		q.Actor, q.For = identity.Actor{Kind: identity.Agent, ID: "agent:" + app + "/any", Org: actor.Org}, actor
	}
	out, err := s.Rules.ExplainCall(q, agent.PolicyTool(t))
	return &explainOutput{out}, err
}

// asked is the one about whom it is asked.
func (s *Policy) asked(ctx context.Context, who identity.Actor, b ExplainBody) (identity.Actor, error) {
	given := 0
	for _, yes := range []bool{b.Role != "", b.Person != "", len(b.Scopes) > 0} {
		if yes {
			given++
		}
	}
	somebody := identity.Actor{Kind: identity.Person, ID: "anybody", Org: who.Org}
	switch {
	case given > 1:
		return somebody, fault.New(fault.Invalid, "name a role, a person or a token's scopes, and only one of them")
	case b.Role != "":
		role, err := identity.ParseRole(b.Role)
		somebody.Roles = []identity.Role{role}
		return somebody, err
	case len(b.Scopes) > 0:
		somebody.Kind, somebody.Scopes = identity.Machine, b.Scopes
		return somebody, nil
	case b.Person == "" || b.Person == who.ID:
		return who, nil
	}
	if err := s.Rules.May(who, "person.read"); err != nil {
		return somebody, err
	}
	if s.Person == nil {
		return somebody, fault.New(fault.Unavailable, "this server does not know people by name").WithNext("ask by role")
	}
	return s.Person(ctx, who.Org, b.Person)
}

// A SimulateBody is other policies, and how far to look back.
type SimulateBody struct {
	Files []PolicyFileBody `json:"files" minItems:"1" maxItems:"200"`
	Since string           `json:"since" maxLength:"20" doc:"How far back: 720h, or 30d."`
}

type simulateInput struct{ Body SimulateBody }

// A SimulationBody is what they would have made of past calls, and of everybody's
// rights.
type SimulationBody struct {
	policy.Simulation
	Since   time.Time      `json:"since"`
	Partial bool           `json:"partial" doc:"There are more calls than were looked at; these are the newest."`
	Rights  []policy.Right `json:"rights" doc:"Cells of the table that would change."`
}

type simulateOutput struct{ Body SimulationBody }

func (s *Policy) simulate(a *API) func(context.Context, identity.Actor, *simulateInput) (*simulateOutput, error) {
	return func(ctx context.Context, who identity.Actor, in *simulateInput) (*simulateOutput, error) {
		back, err := lookBack(in.Body.Since)
		if err != nil {
			return nil, err
		}
		files := make([]policy.File, len(in.Body.Files))
		for i, f := range in.Body.Files {
			files[i] = policy.File{Name: f.Name, Text: []byte(f.Text)}
		}
		next, err := s.Rules.Replace(files...)
		if err == nil {
			err = next.CheckTools(s.Tools.Names()...)
		}
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, simulatePatience)
		defer cancel()
		since := a.Now().Add(-back).UTC()
		past, err := s.Runs.Past(ctx, who, s.Tools, since)
		if err != nil {
			return nil, err
		}
		tools := agent.PolicyTools(s.Tools)
		out := SimulationBody{Simulation: next.Simulate(past.Calls, mostChanged), Since: since, Partial: past.Partial,
			Rights: policy.Changes(s.Rules.Table(who.Org, tools...), next.Table(who.Org, tools...))}
		for _, u := range past.Untold {
			out.Note(u.Why, u.Calls)
		}
		return &simulateOutput{out}, nil
	}
}

// simulatePatience is how long a simulation may take.
const simulatePatience = 60 * time.Second

// lookBack reads how far back: Go's form, or a number of days.
func lookBack(text string) (time.Duration, error) {
	back, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok && err != nil {
		back, err = time.ParseDuration(days + "h")
		back *= 24
	}
	if err != nil || back <= 0 || back > longestLook {
		return 0, fault.New(fault.Invalid, "since %.20q: give how far back to look, 720h or 30d, at most %dd", text,
			int(longestLook.Hours()/24))
	}
	return back, nil
}
