package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/web"
)

// A runView is one audit of one van.
type runView struct {
	store.Run
	site record.SiteName
}

// run is the page of one audit, with every verdict.
func (g *Pages) run(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	one, err := g.store.Run(r.Context(), actor, r.PathValue("id"))
	if err != nil {
		return err
	}
	sites, err := g.store.VanSites(r.Context(), actor, []store.Run{one})
	if err != nil {
		return err
	}
	p := g.page(r, "")
	p.Title = p.T("pool.run_title", "van", string(one.Vanpool))
	return g.site.Render(w, r, http.StatusOK, p, runScreen(p, runView{one, sites[one.Vanpool]}))
}

// outcomeLook is the badge of a run's outcome, and the end of its message key.
func outcomeLook(o audit.Outcome) (class, icon, word string) {
	switch o {
	case audit.Verified:
		return "ok", "check", "verified"
	case audit.Failed:
		return "bad", "stop", "failed"
	case audit.Errored:
		return "warn", "unknown", "error"
	}
	return "plain", "ring", "none"
}

// labelLook is the badge of a verdict.
func labelLook(l check.Label) (class, icon, word string) {
	if l == check.Pass {
		return "ok", "check", "pass"
	}
	return "bad", "stop", "fail"
}

// sureWords say how sure a verdict is: the number on its scale, and what it means.
func sureWords(p *web.Page, c check.Confidence) string {
	if c < check.Least {
		return "–"
	}
	n := strconv.Itoa(int(c))
	return p.T("pool.sure", "n", n, "words", p.T("pool.sure_is."+n))
}

// checkNames are checks in words.
func checkNames(p *web.Page, all []check.Name) string {
	words := make([]string, len(all))
	for i, c := range all {
		words[i] = p.Word("pool.check.", string(c))
	}
	return strings.Join(words, ", ")
}

// findingWho is whom a finding is about: somebody, or the van.
func findingWho(f check.Finding, van fleet.VanpoolID) string {
	if f.Employee != "" {
		return string(f.Employee)
	}
	return string(van)
}

// whoAddress is the page of whom a finding or a piece of evidence is about.
func whoAddress(id string) string {
	if strings.HasPrefix(id, "EMP-") {
		return ridersAt + "/" + id
	}
	return vansAt + "/" + id
}

// parted is a verdict without evidence about riders with whom it finds nothing, and that
// evidence. A verdict that finds nothing about anybody keeps all of it.
func parted(v check.Verdict) (mine check.Verdict, others []check.Evidence) {
	found := map[string]bool{}
	for _, f := range v.Findings {
		if f.Employee != "" {
			found[string(f.Employee)] = true
		}
	}
	if len(found) == 0 {
		return v, nil
	}
	of := func(all []check.Evidence) (some []check.Evidence) {
		for _, e := range all {
			if who := e.Data.Text("employee_id"); who == "" || found[who] {
				some = append(some, e)
			} else {
				others = append(others, e)
			}
		}
		return some
	}
	mine = v
	mine.For, mine.Against, mine.Unknown = of(v.For), of(v.Against), of(v.Unknown)
	return mine, others
}

// ridersIn is how many people evidence is about.
func ridersIn(all []check.Evidence) int {
	seen := map[string]bool{}
	for _, e := range all {
		seen[e.Data.Text("employee_id")] = true
	}
	return len(seen)
}

// A shown is one value of a piece of evidence, as the page says it.
type shown struct {
	name, value string
	english     bool // written by code, in English
}

// hiddenFields say what the page says elsewhere, or what is for machines.
var hiddenFields = map[string]bool{"vanpool_id": true, "employee_id": true, "pickup_coords": true}

// englishFields hold words that code wrote.
var englishFields = map[string]bool{"hours": true, "employee_hours": true, "expected_hours": true, "problem": true, "employee_shift": true,
	"expected_shift": true, "majority_shift": true}

// firstFields are what a piece of evidence turns on, in the order people read it;
// the others follow. The database does not keep the order of what is in JSON.
var firstFields = []string{"distance_miles", "threshold_miles", "method", "employee_shift", "majority_shift", "employee_hours", "hours",
	"expected_shift", "expected_hours",
	"overlap_minutes", "work_overlap_minutes", "riders", "seats", "fill_percent", "min_fill_percent", "present_days", "expected_days",
	"field", "problem"}

// shownOf are the values of a piece of evidence. The id of a shift is left out
// where its name is there.
func shownOf(p *web.Page, e check.Evidence) []shown {
	rank := func(f check.Field) int {
		if i := slices.Index(firstFields, f.Name); i >= 0 {
			return i
		}
		return len(firstFields)
	}
	all := slices.Clone(e.Data)
	slices.SortStableFunc(all, func(a, b check.Field) int { return cmp.Compare(rank(a), rank(b)) })
	named := e.Data.Get("employee_shift") != nil || e.Data.Get("majority_shift") != nil
	var out []shown
	for _, f := range all {
		if hiddenFields[f.Name] || f.Name == "shift_id" && named {
			continue
		}
		out = append(out, shown{p.Word("pool.field.", f.Name), valueWords(p, f.Value), englishFields[f.Name]})
	}
	return out
}

// valueWords is a value as people read it.
func valueWords(p *web.Page, v any) string {
	switch v := v.(type) {
	case bool:
		if v {
			return p.T("pool.yes")
		}
		return p.T("pool.no")
	case json.Number:
		return v.String()
	case string:
		return wordOr(p, v)
	}
	return fmt.Sprint(v)
}

// wordOr is a value in words, or the value itself: ids keep their underscores.
func wordOr(p *web.Page, v string) string {
	if words := p.Word("pool.value.", v); words != strings.ReplaceAll(v, "_", " ") {
		return words
	}
	return v
}

// findingsOn are what a run found about somebody, each once, without what is
// excused.
func findingsOn(r store.Run, who fleet.EmployeeID) []check.Finding {
	var out []check.Finding
	for _, v := range r.Verdicts {
		for _, f := range v.Live() {
			same := func(o check.Finding) bool { return o.Key() == f.Key() }
			if f.Employee == who && !slices.ContainsFunc(out, same) {
				out = append(out, f)
			}
		}
	}
	return out
}
