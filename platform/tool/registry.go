package tool

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

const longestLine = 300 // characters: a model reads it on every turn

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// A Registry is all tools of an installation. It does not change.
type Registry struct {
	tools []Tool // in order of full name
}

// NewRegistry takes tools that are wholly declared and differ in name, and says
// everything that is wrong with the others.
func NewRegistry(tools ...Tool) (*Registry, error) {
	tools = slices.SortedStableFunc(slices.Values(tools), func(a, b Tool) int { return cmp.Compare(a.FullName(), b.FullName()) })
	var wrong []string
	for i, t := range tools {
		for _, w := range t.undeclared() {
			wrong = append(wrong, fmt.Sprintf("tool %s: %s", t.FullName(), w))
		}
		if i > 0 && tools[i-1].FullName() == t.FullName() {
			wrong = append(wrong, fmt.Sprintf("tool %s: is there twice", t.FullName()))
		}
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.Invalid, "%s", strings.Join(wrong, "; "))
	}
	return &Registry{tools: tools}, nil
}

// undeclared lists what is missing or contradicts itself.
func (t Tool) undeclared() []string {
	var wrong []string
	refuse := func(bad bool, words string) {
		if bad {
			wrong = append(wrong, words)
		}
	}
	refuse(!nameForm.MatchString(t.App) || !nameForm.MatchString(t.Name), "app and name are 1 to 64 of a-z, 0-9 and _, a letter first")
	refuse(strings.TrimSpace(t.Line) == "" || strings.ContainsAny(t.Line, "\r\n") || utf8.RuneCountInString(t.Line) > longestLine,
		fmt.Sprintf("needs a line of at most %d characters", longestLine))
	refuse(t.run == nil, "has nothing to run")
	refuse(t.Effect == "", "says no effect")
	refuse(t.Effect != "" && t.made != "" && t.Effect != t.made, fmt.Sprintf("says its effect is %s and was made as %s", t.Effect, t.made))
	refuse(t.Gate > Off, "has a gate that does not exist")
	refuse(!slices.Contains([]Class{ByEffect, Weighty, ExternalMail, LegalFiling}, t.Class), "leads to something that does not exist")
	refuse(len(t.Roles) == 0, "says no roles that may use it")
	refuse(t.Gate != Confirm && len(t.Deciders) == 0, "says no deciders; where its gate is off, policy may still ask a person")
	refuse(t.Gate == Confirm && (len(t.Deciders) > 0 || t.Approvals > 1),
		"is confirmed by the one it acts for, so it has no deciders or approvals")
	refuse(t.Approvals < 0 || t.Approvals > MostApprovals, fmt.Sprintf("wants %d approvals; 0 to %d are possible", t.Approvals,
		MostApprovals))
	refuse(t.MaxResult < 0 || t.MaxResult > LargestResult, fmt.Sprintf("has a result bound of %d; 0 to %d are possible", t.MaxResult,
		LargestResult))
	refuse(t.Undo < 0 || t.Undo > LongestUndo, fmt.Sprintf("can be undone for %v; 0 to %v are possible", t.Undo, LongestUndo))
	refuse(t.Undo > 0 && t.Effect != Outside, "has an undo window; only acts outside have one")
	refuse(t.Grounded && (t.Effect != Outside || t.Gate != Off),
		"holds its arguments against what was said, which counts only for an effect outside that nobody need be asked about")
	refuse(t.Gate == Confirm && len(t.EscalateTo) > 0, "is confirmed by the one it acts for, so it goes on to nobody")
	refuse(t.RemindAfter < 0 || t.EscalateAfter < 0 || t.ExpireAfter < 0 || t.ExpireAfter > LongestWait,
		fmt.Sprintf("waits for people for less than nothing, or for over %v", LongestWait))
	refuse(t.ExpireAfter > 0 && max(t.RemindAfter, t.EscalateAfter) >= t.ExpireAfter,
		"reminds people, or goes on to others, after it has expired")
	refuse(t.EscalateAfter > 0 && len(t.EscalateTo) == 0, "goes on to others and does not say to whom")
	refuse(t.needsFinding() && t.find == nil, "says nothing of what was found to who decides; add it with tool.Finds")
	refuse(len(t.fixed) > 0 && t.bind == nil,
		fmt.Sprintf("has read-only arguments (%s) and nothing that computes them from the record; add it with tool.Binds", t.fixedNames()))
	refuse(len(t.fixed) == 0 && t.bind != nil, "computes read-only arguments and has none")
	wrong = append(wrong, t.badChoices()...)
	for _, roles := range [][]identity.Role{t.Roles, t.Deciders, t.EscalateTo} {
		refuse(!distinct(roles), "names a role twice or one that does not exist")
	}
	if t.broken != nil {
		wrong = append(wrong, strings.Split(t.broken.Error(), "\n")...)
	}
	return wrong
}

// distinct reports whether roles exist and differ.
func distinct(roles []identity.Role) bool {
	for i, r := range roles {
		if _, err := identity.ParseRole(string(r)); err != nil || slices.Contains(roles[:i], r) {
			return false
		}
	}
	return true
}

// Find is the tool of a name.
func (r *Registry) Find(app, name string) (Tool, bool) {
	if r == nil {
		return Tool{}, false
	}
	full := Tool{App: app, Name: name}.FullName()
	i, ok := slices.BinarySearchFunc(r.tools, full, func(t Tool, full string) int { return cmp.Compare(t.FullName(), full) })
	if !ok {
		return Tool{}, false
	}
	return r.tools[i], true
}

// All is every tool, in order of full name.
func (r *Registry) All() []Tool { return slices.Clone(r.tools) }

// Names are the full names in order, as policy.Set.CheckTools wants them.
func (r *Registry) Names() []string {
	all := make([]string, len(r.tools))
	for i, t := range r.tools {
		all[i] = t.FullName()
	}
	return all
}

// Golden is everything about the tools that a reviewer of a change has to see,
// as text for a golden file: a loosened gate is then a line in a diff.
func (r *Registry) Golden() []byte {
	var b bytes.Buffer
	for i, t := range r.tools {
		if i > 0 {
			b.WriteByte('\n')
		}
		t.golden(&b)
	}
	return b.Bytes()
}

func (t Tool) golden(b *bytes.Buffer) {
	row := func(name, value string) { fmt.Fprintf(b, "  %-10s %s\n", name, cmp.Or(value, "none")) }
	fmt.Fprintln(b, t.FullName())
	row("line", t.Line)
	row("effect", string(t.Effect))
	row("gate", t.Gate.String())
	if t.Class != ByEffect {
		row("leads to", string(t.Class))
	}
	if t.Choices.Arg != "" {
		row("chooses by", t.Choices.Arg)
	}
	row("roles", join(t.Roles))
	row("deciders", join(t.Deciders))
	if len(t.EscalateTo) > 0 {
		row("escalates to", join(t.EscalateTo))
	}
	if t.RemindAfter+t.EscalateAfter+t.ExpireAfter > 0 {
		row("waits", fmt.Sprintf("reminds after %v, escalates after %v, expires after %v", t.RemindAfter, t.EscalateAfter, t.ExpireAfter))
	}
	row("approvals", fmt.Sprint(t.Needed()))
	if t.Effect == Outside {
		row("undo", t.Undo.String())
		row("look-up", map[bool]string{true: "yes"}[t.Asks()])
	}
	row("taint", map[bool]string{true: "its result may hold text from outside"}[t.OutsideText])
	if t.Grounded {
		row("grounded", "every argument is what the person said")
	}
	row("result", fmt.Sprintf("at most %d bytes", t.resultBound()))
	hidden := make([]string, len(t.inject))
	for i, h := range t.inject {
		hidden[i] = fmt.Sprintf("%s from %s", h.json, h.from)
	}
	row("filled in", strings.Join(hidden, ", "))
	if t.Bound() {
		row("computed", t.fixedNames())
	}
	for _, f := range []struct {
		name string
		form form
	}{{"in", t.in}, {"out", t.out}} {
		row(f.name, fmt.Sprintf("sha256:%x", sha256.Sum256(f.form.text)))
		b.WriteString("    ")
		json.Indent(b, f.form.text, "    ", "  ") //nolint:errcheck // it was marshalled by us; NewRegistry let no other form in
		b.WriteByte('\n')
	}
}

func join(roles []identity.Role) string {
	all := make([]string, len(roles))
	for i, r := range roles {
		all[i] = string(r)
	}
	return strings.Join(all, ", ")
}
