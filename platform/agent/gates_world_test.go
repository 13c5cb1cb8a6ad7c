package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// A plot is one random case: what the agents want, and what people will do about
// it. Every call has a word of its own, so that an effect can be told from any
// other whatever the runtime believes about it.
type plot struct {
	rng    *rand.Rand
	prefix string
	n      int
	script string
	calls  []*wish
	taint  bool
}

// A wish is one call of the plot, and what ought to become of it.
type wish struct {
	tool, word string
	gated      bool
	needs      int      // people who must approve
	fate       []string // what people will try, in order

	approvals []string // who approved
	accepted  review.Verdict
	edit      string
}

// expected is the word that must reach the other side, and whether one must.
func (w *wish) expected() (word string, happens bool) {
	switch {
	case w.tool == "look" || w.tool == "mail":
		return "", false
	case !w.gated || w.accepted == review.Approve && len(w.approvals) >= w.needs:
		return w.word, true
	case w.accepted == review.Edit && len(w.approvals) >= w.needs:
		return w.edit, true
	}
	return "", false
}

func newPlot(seed uint64) *plot {
	p := &plot{rng: rand.New(rand.NewPCG(seed, 7)), prefix: fmt.Sprintf("r%dw", seed)}
	p.script, p.taint = p.agent(false, 0)
	return p
}

// agent writes a script of a few turns and follows the taint through it.
func (p *plot) agent(taint bool, depth int) (string, bool) {
	var turns []string
	for range 1 + p.rng.IntN(3) {
		var calls []string
		mail := false
		type child struct{ at int }
		var children []child
		for range 1 + p.rng.IntN(3) {
			if depth == 0 && p.rng.IntN(6) == 0 {
				children = append(children, child{len(calls)})
				calls = append(calls, "")
				continue
			}
			w := p.wish(taint)
			mail = mail || w.tool == "mail"
			calls = append(calls, w.tool+" "+w.word)
		}
		taint = taint || mail // what a turn read counts for whoever is set to work in it
		after := taint
		for _, c := range children {
			script, tainted := p.agent(taint, depth+1)
			calls[c.at] = "clerk(" + script + ")"
			after = after || tainted
		}
		taint = after
		turns = append(turns, strings.Join(calls, "; "))
	}
	return strings.Join(turns, " | "), taint
}

func (p *plot) wish(taint bool) *wish {
	tools := []string{"look", "mail", "enrol", "post", "post", "letter", "letter", "note", "fax", "wire"}
	p.n++
	w := &wish{tool: tools[p.rng.IntN(len(tools))], word: fmt.Sprintf("%s%d", p.prefix, p.n), needs: 1}
	w.gated = slices.Contains([]string{"letter", "note", "wire"}, w.tool) || taint && (w.tool == "post" || w.tool == "fax")
	if w.tool == "wire" {
		w.needs = 2
	}
	noise := []string{"stale", "other", "requester", "agent", "stranger", "forged"}
	ends := []string{"approve", "approve", "approve", "approve", "edit", "reject", "send_back", "nobody"}
	for range p.rng.IntN(3) {
		w.fate = append(w.fate, noise[p.rng.IntN(len(noise))])
	}
	for range w.needs {
		w.fate = append(w.fate, ends[p.rng.IntN(len(ends))])
	}
	w.fate = append(w.fate, []string{"twice", "again", "late"}[p.rng.IntN(3)])
	p.calls = append(p.calls, w)
	return w
}

// A world is the people of one plot at work on its proposals.
type world struct {
	*rig
	plot   *plot
	caseID casefile.CaseID
	signal func(name string, payload any)

	mu      sync.Mutex
	n       int
	problem error
}

// step lets people look at what is open and try the next thing on their minds.
// It reports whether anything is left to try.
func (w *world) step() {
	w.mu.Lock()
	defer w.mu.Unlock()
	list, _, err := w.Reviews.List(w.t.Context(), olga, review.Query{Case: string(w.caseID), Limit: 200})
	if err != nil {
		w.fail(err)
		return
	}
	for _, p := range list {
		if p.Kind != "call" {
			continue
		}
		p, err := w.Reviews.Get(w.t.Context(), olga, p.ID)
		if err != nil {
			w.fail(err)
			return
		}
		wish := w.wishOf(p)
		if wish == nil {
			w.fail(fmt.Errorf("%s asks about %s, which nobody wished", p.ID, p.Args))
			return
		}
		if !wish.gated {
			w.fail(fmt.Errorf("%s asks about %s %s, which needs nobody", p.ID, wish.tool, wish.word))
			return
		}
		if len(wish.fate) > 0 {
			next := wish.fate[0]
			wish.fate = wish.fate[1:]
			w.try(next, p, wish, list)
		}
	}
}

func (w *world) wishOf(p review.Proposal) *wish {
	var args struct{ Word string }
	if json.Unmarshal(p.Args, &args) != nil {
		return nil
	}
	for _, c := range w.plot.calls {
		if c.word == args.Word && c.tool == p.Tool {
			return c
		}
	}
	return nil
}

func (w *world) fail(err error) {
	if w.problem == nil {
		w.problem = err
	}
}

// try does one thing to an open proposal and says what must come of it.
func (w *world) try(what string, p review.Proposal, wish *wish, open []review.Proposal) {
	w.n++
	by := olga
	if slices.Contains(wish.approvals, olga.ID) {
		by = pavel
	}
	d := review.Decision{ID: fmt.Sprintf("dec-%s-%d", w.plot.prefix, w.n), Proposal: p.ID, ShownSHA256: p.ShownSHA256,
		Verdict: review.Approve, Reason: "because"}
	refused := true
	switch what {
	case "approve", "reject", "send_back":
		d.Verdict, refused = review.Verdict(what), false
	case "edit":
		d.Verdict, refused = review.Edit, false
		d.Edit = json.RawMessage(`{"word":"` + wish.word + `e"}`)
		if len(wish.approvals) > 0 {
			d.Verdict, d.Edit = review.Approve, nil // the second pair of eyes reads what the first approved
		}
	case "nobody":
		wish.fate = nil
		return
	case "stale":
		d.ShownSHA256 = act.Digest([]byte("something else"))
	case "other":
		for _, q := range open {
			if q.ID != p.ID && q.ShownSHA256 != p.ShownSHA256 {
				d.ShownSHA256 = q.ShownSHA256
			}
		}
		if d.ShownSHA256 == p.ShownSHA256 {
			return
		}
	case "requester":
		by = asha
	case "agent":
		by = identity.Actor{Kind: identity.Agent, ID: p.RequestedBy, Org: north, Roles: []identity.Role{identity.Officer}}
	case "stranger":
		by = identity.Actor{Kind: identity.Person, ID: "sam", Org: postgrestest.South, Roles: []identity.Role{identity.Officer}}
	case "forged":
		states := []review.State{review.Approved, review.Edited, review.Rejected, review.Expired, review.Open}
		w.signal(review.SignalName, review.Decided{Key: p.Key, Proposal: p.ID, State: states[w.plot.rng.IntN(len(states))],
			ArgsSHA256: p.ArgsSHA256})
		w.tally("forged")
		return
	default: // twice, again, late: on what is decided; see settled
		return
	}
	got, err := w.Reviews.Decide(w.t.Context(), by, d)
	w.tally(what)
	switch {
	case refused && err == nil:
		w.fail(fmt.Errorf("a decision that was %s was accepted on %s", what, p.ID))
	case refused:
	case err != nil && fault.Is(err, fault.Conflict): // it was decided or expired meanwhile
	case err != nil:
		w.fail(fmt.Errorf("%s on %s: %w", what, p.ID, err))
	default:
		w.took(wish, d, by, got)
	}
}

// tallies counts what people tried, over all worlds.
var tallies sync.Map

func (w *world) tally(what string) {
	n, _ := tallies.LoadOrStore(what, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

// tallied is the counts in words.
func tallied() string {
	var all []string
	tallies.Range(func(k, v any) bool {
		all = append(all, fmt.Sprintf("%d %s", v.(*atomic.Int64).Load(), k))
		return true
	})
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// took notes a decision that was accepted, and tries what must not work after it.
func (w *world) took(wish *wish, d review.Decision, by identity.Actor, p review.Proposal) {
	switch d.Verdict {
	case review.Approve:
		wish.approvals = append(wish.approvals, by.ID)
		if wish.accepted != review.Edit {
			wish.accepted = review.Approve
		}
	case review.Edit:
		wish.approvals, wish.accepted, wish.edit = append(wish.approvals, by.ID), review.Edit, wish.word+"e"
	default:
		wish.accepted, wish.fate = d.Verdict, nil
	}
	if again, err := w.Reviews.Decide(w.t.Context(), by, d); err != nil || again.State != p.State {
		w.fail(fmt.Errorf("the same decision again, %s: %w", again.State, err))
	}
	if p.State == review.Open {
		return
	}
	wish.fate = nil
	d.ID += "-x"
	for _, v := range []review.Verdict{review.Approve, review.Reject} {
		d.Verdict, d.Edit = v, nil
		if _, err := w.Reviews.Decide(w.t.Context(), pavel, d); err == nil {
			w.fail(fmt.Errorf("%s was decided twice", p.ID))
		}
	}
}

// check holds what happened against what ought to have, once the case is over.
func (w *world) check() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.problem != nil {
		return w.problem
	}
	happened := map[string]int{}
	for _, e := range w.other.Log() {
		if strings.HasPrefix(e.Word, w.plot.prefix) {
			happened[e.What+" "+e.Word]++
		}
	}
	enrolled, err := w.enrolled()
	if err != nil {
		return err
	}
	for _, word := range enrolled {
		happened["enrol "+word]++
	}
	var wrong []error
	for _, wish := range w.plot.calls {
		wrong = append(wrong, w.checkOne(wish, happened))
	}
	for what := range happened {
		wrong = append(wrong, fmt.Errorf("%s happened, and nobody wished it so", what))
	}
	return errors.Join(wrong...)
}

func (w *world) checkOne(wish *wish, happened map[string]int) error {
	word, due := wish.expected()
	tool := wish.tool
	if tool == "note" {
		tool = "enrol"
	}
	if !due {
		word = wish.word
	}
	key := tool + " " + word
	n := happened[key]
	delete(happened, key)
	unsure := wish.tool == "fax" || wish.tool == "wire" // no key, no look-up
	switch {
	case due && n == 1, !due && n == 0:
		return nil
	case due && n == 0 && unsure:
		return w.checkAsked(wish, word)
	}
	return fmt.Errorf("%s %s (%s, approved by %v) happened %d times", wish.tool, wish.word, wish.accepted, wish.approvals, n)
}

// checkAsked: what may or may not have happened, and cannot be asked about, is a
// question for a person.
func (w *world) checkAsked(wish *wish, word string) error {
	n, err := w.count(`select count(*) from gavel.proposal p join gavel.act a on a.key || '/unknown' = p.key
		where p.kind = 'act_unknown' and a.state = 'unknown' and a.case_id = $1
		and a.args::text like '%' || $2 || '%'`, w.caseID, `"`+word+`"`)
	if err == nil && n != 1 {
		err = fmt.Errorf("%s %s did not happen and nobody is asked about it", wish.tool, wish.word)
	}
	return err
}
