package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

const policyPath = "/admin/policy"

// A policyView is who may do what, in words, and why somebody may or may not.
type policyView struct {
	table  policy.Table
	who    []string // the columns that are shown
	kind   string   // act, tool, or empty for both
	rows   []policy.Row
	asked  policyQuestion
	answer *policy.Explanation
	fault  error // what was wrong with the question
}

// A policyQuestion is what somebody asked: whether a role or a person may do
// something.
type policyQuestion struct{ what, role, person string }

func (q policyQuestion) empty() bool { return q == policyQuestion{} }

// policyWords is the page of who may do what. To ask is to read: the question
// stands in the address, and its answer can be passed on by it.
func (c *Console) policyWords(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	q := r.URL.Query()
	for _, name := range []string{"kind", "who", "what", "role", "person"} {
		if v := q.Get(name); len(v) > maxFilter || strings.ContainsRune(v, 0) {
			return longFilter(name)
		}
	}
	var tools []policy.Tool
	if c.Setup.Tools != nil {
		tools = agent.PolicyTools(c.Setup.Tools)
	}
	v := policyView{table: c.Rules.Table(actor.Org, tools...), kind: q.Get("kind"),
		asked: policyQuestion{strings.TrimSpace(q.Get("what")), q.Get("role"), strings.TrimSpace(q.Get("person"))}}
	if err := v.narrow(q.Get("who")); err != nil {
		return err
	}
	status := http.StatusOK
	if !v.asked.empty() {
		v.answer, v.fault = c.explained(r, actor, v.asked)
		if v.fault != nil {
			if !mendable(v.fault) && !fault.Is(v.fault, fault.NotFound) {
				return v.fault
			}
			status = web.Status(fault.KindOf(v.fault))
		}
	}
	p := c.adminPage(r, "policy.title")
	return c.site.Render(w, r, status, p, policyBody(p, v))
}

// narrow leaves the rows of a kind and the columns that are wanted: people's roles
// unless the tokens' scopes are asked for, since both together fit no page.
func (v *policyView) narrow(who string) error {
	if v.kind != "" && v.kind != "act" && v.kind != "tool" {
		return fault.New(fault.Invalid, "rows are of kind act or tool, not %.20q", v.kind).Because("no_choice", "value", v.kind)
	}
	for _, name := range v.table.Who {
		if isToken := strings.HasPrefix(name, "token "); isToken == (who == "tokens") && (who == "" || who == "tokens" || who == name) {
			v.who = append(v.who, name)
		}
	}
	if len(v.who) == 0 {
		return fault.New(fault.Invalid, "no column is called %.60q", who).Because("no_choice", "value", who)
	}
	for _, row := range v.table.Rows {
		if v.kind == "" || row.Kind == v.kind {
			v.rows = append(v.rows, row)
		}
	}
	return nil
}

// A roleWords is what one role may do, in words.
type roleWords struct {
	name      string
	may, asks []string // by itself; once a person has agreed
}

// roles are the roles of people, in the order of the table, each with what it may do.
func (v policyView) roles() (out []roleWords) {
	for i, name := range v.table.Who {
		if strings.HasPrefix(name, "token ") {
			continue
		}
		r := roleWords{name: name}
		for _, row := range v.table.Rows {
			cell, words := row.Cells[i], upperFirst(strings.TrimSuffix(row.Words, "."))
			comesTo := append([]policy.Word{cell.Word}, cell.Among...)
			switch {
			case slices.Contains(comesTo, policy.Yes):
				r.may = append(r.may, words)
			case slices.Contains(comesTo, policy.Asks):
				r.asks = append(r.asks, words)
			}
		}
		out = append(out, r)
	}
	return out
}

// cell is what the table says of a row and one of the shown columns.
func (v policyView) cell(row policy.Row, who string) policy.Cell {
	return row.Cells[slices.Index(v.table.Who, who)]
}

// explained answers why somebody may or may not do something.
func (c *Console) explained(r *http.Request, actor identity.Actor, q policyQuestion) (*policy.Explanation, error) {
	who, err := c.askedAbout(r, actor, q)
	if err != nil {
		return nil, err
	}
	app, name, _ := strings.Cut(q.what, ".")
	t, found := c.Setup.Tools.Find(app, name)
	if !found {
		e, err := c.Rules.ExplainAct(who, q.what)
		return &e, err
	}
	ask := policy.Question{Actor: identity.Actor{Kind: identity.Agent, ID: "agent:" + app + "/any", Org: actor.Org}, For: who,
		App: app, Tool: name, Effect: string(t.Effect)}
	e, err := c.Rules.ExplainCall(ask, agent.PolicyTool(t))
	return &e, err
}

func (c *Console) askedAbout(r *http.Request, actor identity.Actor, q policyQuestion) (identity.Actor, error) {
	switch {
	case q.what == "":
		return identity.Actor{}, fault.New(fault.Invalid, "say what would be done: an act or a tool").Because("what_would_be_done")
	case q.person != "" && c.Setup.Person == nil:
		return identity.Actor{}, fault.New(fault.Unavailable, "people are not known by name on this server").Because("not_set_up")
	case q.person != "":
		if err := c.Rules.May(actor, "person.read"); err != nil {
			return identity.Actor{}, err
		}
		return c.Setup.Person(r.Context(), actor.Org, q.person)
	}
	role, err := identity.ParseRole(q.role)
	return identity.Actor{Kind: identity.Person, ID: "anybody", Org: actor.Org, Roles: []identity.Role{role}}, err
}

// cellLook is the badge of an answer.
func cellLook(w policy.Word) (look, icon string) {
	switch w {
	case policy.Yes:
		return "ok", "check"
	case policy.Asks:
		return "warn", "warn"
	case policy.Depends:
		return "info", "unknown"
	}
	return "plain", "slash"
}

// cellWords is an answer in the reader's language.
func cellWords(p *web.Page, c policy.Cell) string {
	if c.Word != policy.Depends {
		return wordWords(p, c.Word)
	}
	among := make([]string, len(c.Among))
	for i, w := range c.Among {
		among[i] = wordWords(p, w)
	}
	return strings.Join(among, p.T("policy.or"))
}

func wordWords(p *web.Page, w policy.Word) string {
	return p.T("policy.word." + strings.ReplaceAll(string(w), " ", "_"))
}

// whoWords is a column's head.
func whoWords(p *web.Page, who string) string {
	if scope, ok := strings.CutPrefix(who, "token "); ok {
		return scope
	}
	return p.Word("role.", who)
}

// policyAddress is the page with other filters and the same question.
func policyAddress(kind, who string) string {
	q := ""
	if kind != "" {
		q = "kind=" + kind
	}
	if who != "" {
		if q != "" {
			q += "&"
		}
		q += "who=" + who
	}
	return withQuery(policyPath, q)
}

// deciders are who decides what was asked about, where it is a tool whose proposals
// people decide.
func (v policyView) deciders() []identity.Role {
	for _, row := range v.table.Rows {
		if row.Name == v.asked.what {
			return row.Deciders
		}
	}
	return nil
}
