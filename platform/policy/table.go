package policy

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/gavelhq/gavel/platform/identity"
)

// A Word is what happens when somebody tries something.
type Word string

// The words.
const (
	Yes     Word = "yes"
	Asks    Word = "asks a person"
	No      Word = "no"
	Depends Word = "depends"
)

// A Cell is what a table says of one role and one act or tool.
type Cell struct {
	Word  Word     `json:"word"`
	Among []Word   `json:"among,omitempty"` // where it depends: what it may come to
	On    []string `json:"on,omitempty"`    // and on what: "args.rides", "who it is"
}

// String is the cell in words.
func (c Cell) String() string {
	if c.Word != Depends {
		return string(c.Word)
	}
	among := make([]string, len(c.Among))
	for i, w := range c.Among {
		among[i] = string(w)
	}
	return strings.Join(among, " or ") + ", depending on " + strings.Join(c.On, ", ")
}

// A Tool is what a table needs to know of a tool.
type Tool struct {
	App, Name, Line string
	Effect          string          // read, write or outside
	Gate            string          // its own: off, confirm or approve
	Grounded        bool            // text from outside steers no argument of it
	Roles           []identity.Role // its own
	Deciders        []identity.Role // who decides what asks a person, whoever asked
	Schema          json.RawMessage // JSON Schema of its arguments
}

// A Row is one act or tool.
type Row struct {
	Name  string `json:"name"` // "case.read", "poolpatrol.get_shift"
	Kind  string `json:"kind"` // act or tool
	Words string `json:"words"`
	Cells []Cell `json:"cells"` // as Table.Who has them

	// Deciders are who decides a tool's proposals: code may ask for what no role may
	// have an agent call.
	Deciders []identity.Role `json:"deciders,omitempty"`
}

// A Table says who may do what in one organisation. Acts are done by people and
// machines; a tool is called by an agent for a person of that role, or by a
// machine from outside, and then whatever has an effect asks a person.
type Table struct {
	Org    identity.Org `json:"org"`
	Digest string       `json:"digest"` // of all policies
	Who    []string     `json:"who"`    // roles, and scopes of a machine's token
	Rows   []Row        `json:"rows"`
}

// Table puts every question that has an answer without arguments. Where the
// answer needs more than a role and a tool's name, the cell says what it may come
// to and on what that depends.
func (r *Rules) Table(org identity.Org, tools ...Tool) Table {
	who := r.everybody(tools)
	t := Table{Org: org, Digest: r.Digest()}
	for _, w := range who {
		t.Who = append(t.Who, w.name())
	}
	for _, a := range r.Acts() {
		row := Row{Name: a.Name, Kind: "act", Words: a.Words}
		for _, w := range who {
			row.Cells = append(row.Cells, r.actCell(org, w, a))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, tool := range tools {
		row := Row{Name: tool.App + "." + tool.Name, Kind: "tool", Words: tool.Line, Deciders: tool.Deciders}
		for _, w := range who {
			row.Cells = append(row.Cells, r.toolCell(org, w, tool))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// A holder is a column: a role, or a token's scope.
type holder struct {
	role  identity.Role
	scope string
}

func (h holder) name() string {
	if h.scope != "" {
		return "token " + h.scope
	}
	return string(h.role)
}

// everybody lists the columns: the roles, the platform's own scopes, and those of
// the applications that have tools or acts. A token brings data in by an act only.
func (r *Rules) everybody(tools []Tool) []holder {
	var all []holder
	for _, role := range identity.Roles() {
		all = append(all, holder{role: role})
	}
	scopes := []string{"read:cases", "read:audit", "read:metrics"}
	for _, t := range tools {
		scopes = union(scopes, []string{"read:" + t.App, "propose:" + t.App})
	}
	for _, set := range r.Sets() {
		if app := appOf(set); app != set {
			scopes = union(scopes, []string{"read:" + app, "propose:" + app, "ingest:" + app})
		}
	}
	for _, s := range scopes {
		all = append(all, holder{scope: s})
	}
	return all
}

// view is the part of a question that a column knows.
func (h holder) view(org identity.Org, person identity.Kind) view {
	v := view{kind: person, known: map[string]string{"org": string(org)}}
	if h.scope != "" {
		v.kind, v.scopes = identity.Machine, scopesOf(identity.Actor{Kind: identity.Machine, Scopes: []string{h.scope}})
		return v
	}
	v.roles = []identity.Role{h.role}
	return v
}

func (r *Rules) actCell(org identity.Org, h holder, a Act) Cell {
	if a.Persons && h.scope != "" {
		return Cell{Word: No}
	}
	v := h.view(org, identity.Person)
	v.action, v.known["act"] = do, a.Name
	what, _ := r.act(a.Name)
	f := r.Set(what.set).foresee(v)
	switch {
	case f.certain:
		return Cell{Word: Yes}
	case !f.possible:
		return Cell{Word: No}
	}
	return Cell{Word: Depends, Among: []Word{Yes, No}, On: f.on}
}

func (r *Rules) toolCell(org identity.Org, h holder, t Tool) Cell {
	if !h.mayTry(t) {
		return Cell{Word: No}
	}
	v := h.view(org, identity.Agent)
	for name, word := range map[string]string{"tool": t.App + "." + t.Name, "app": t.App, "effect": t.Effect} {
		v.known[name] = word
	}
	v.fields = fieldsOf(t.Schema)
	if h.scope != "" { // from outside: who wrote the arguments is not known
		tainted := true
		v.taint = &tainted
	}
	set := r.App(t.App)
	v.action = call
	calls := set.foresee(v)
	v.action = unattended
	alone := set.foresee(v)
	return t.cell(calls, alone, h.scope != "")
}

// mayTry reports whether a tool is for this column at all, whatever the policies
// say.
func (h holder) mayTry(t Tool) bool {
	if h.scope == "" {
		return slices.Contains(t.Roles, h.role)
	}
	return h.scope == "propose:"+t.App || t.Effect == "read" && h.scope == "read:"+t.App
}

// cell puts both answers and the tool's own gate together.
func (t Tool) cell(calls, alone foresight, outsider bool) Cell {
	if !calls.possible {
		return Cell{Word: No}
	}
	gated := t.Gate != "off" || outsider && t.Effect != "read"
	var among []Word
	var on []string
	if alone.possible && !gated {
		among = append(among, Yes)
	}
	if gated || !alone.certain {
		among = append(among, Asks)
	} else if t.Effect == "outside" && !t.Grounded {
		among, on = append(among, Asks), union(on, []string{"whether text from outside steers it"})
	}
	if !gated && alone.possible && !alone.certain {
		on = union(on, alone.on)
	}
	if !calls.certain {
		among, on = append(among, No), union(calls.on, on)
	}
	if len(among) == 1 {
		return Cell{Word: among[0]}
	}
	return Cell{Word: Depends, Among: among, On: on}
}

// A foresight is what a set will answer to a question that is known in part.
type foresight struct {
	certain  bool     // it will be allowed
	possible bool     // it may be
	on       []string // where neither is sure: what it depends on
}

// foresee looks ahead. A policy that may fail makes nothing certain: a failure is
// a no.
func (s *Set) foresee(v view) foresight {
	var f foresight
	if s == nil {
		return f
	}
	permitted, could, barred := false, false, false
	clear := true // nothing stands in the way, for certain
	for _, p := range s.policies {
		g := v.policy(p.form)
		switch {
		case g.never, !p.form.permits() && g.value == any(true):
			barred = true
		case p.form.permits():
			permitted = permitted || g.isTrue()
			could = could || g.couldBeTrue()
			clear = clear && !g.fails
		default:
			clear = clear && g.isFalse()
		}
		if !g.isTrue() && !g.isFalse() {
			f.on = union(f.on, g.reads)
		}
	}
	f.certain, f.possible = permitted && clear && !barred, could && !barred
	switch {
	case f.certain || !f.possible:
		f.on = nil
	case len(f.on) == 0:
		f.on = []string{"what a policy computes"}
	}
	return f
}

// Offers reports whether a question may be answered with yes once its arguments
// are known. Who lists tools before a call is made asks this: with no arguments
// at all a policy that reads one could only fail.
func (s *Set) Offers(q Question, schema json.RawMessage) bool {
	v := q.view()
	v.action, v.args, v.fields = call, nil, fieldsOf(schema)
	return q.sound() == nil && s.foresee(v).possible
}

// view is all of a question that is known: everything, unless arguments are left
// out later.
func (q Question) view() view {
	taint := q.Taint
	v := view{kind: q.Actor.Kind, roles: q.roles(), scopes: scopesOf(q.Actor), taint: &taint,
		known: map[string]string{"tool": q.App + "." + q.Tool, "app": q.App, "effect": q.Effect, "org": string(q.Actor.Org)},
		who:   map[string]cedar.String{"principal.id": cedar.String(q.Actor.ID), "on_behalf_of": cedar.String(q.For.ID)}}
	if args, err := fromJSON(q.Args); err == nil {
		v.args = asMap(args)
	}
	if values, err := fromMap(q.Resource); err == nil {
		v.values = asMap(values)
	}
	return v
}

// asMap is a record as a map.
func asMap(r cedar.Record) map[string]cedar.Value {
	out := map[string]cedar.Value{}
	for name, value := range r.All() {
		out[string(name)] = value
	}
	return out
}

// A Right is a cell that differs between two tables.
type Right struct {
	Name  string `json:"name"` // of the act or tool
	Who   string `json:"who"`
	Was   string `json:"was"`
	Would string `json:"would"`
}

// Changes lists the cells that differ between two tables of the same
// organisation, acts and tools: of rules, and of what Replace made of them.
func Changes(was, would Table) []Right {
	out := []Right{}
	for i, row := range was.Rows {
		for j, cell := range row.Cells {
			if other := would.Rows[i].Cells[j]; cell.String() != other.String() {
				out = append(out, Right{row.Name, was.Who[j], cell.String(), other.String()})
			}
		}
	}
	return out
}
