package policy

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cedar-policy/cedar-go"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Own is the name under which the platform's own policies stand beside those of
// the applications.
const Own = "platform"

// Rules are all policies of an installation: the platform's own, which say who
// may do its acts, and each application's, which say who may call its tools and,
// in a set apart, who may do the acts it declares. They do not change and may be
// asked from many goroutines. Nil Rules refuse everything.
//
// What a policy of an act sees:
//
//	principal  Person::"…", Agent::"…", Machine::"…" or System::"…", in Role::"…"
//	action     Action::"do"
//	context    act "case.read", org, roles, and scopes of a machine's token: "propose:poolpatrol",
//	           and for each its verb alone, "propose"
type Rules struct {
	acts  map[string][]Act // those that a set decides, by its name; a set of tools is not in it
	sets  map[string]*Set  // by name, as Sets lists them
	byAct map[string]ruled
}

// A ruled act is one with the set that decides it.
type ruled struct {
	Act
	set   string // its name
	about *Set   // the policies of it that have anything to do with the act
}

// actsFolder is where an application's policies on its own acts stand, beside
// those on its tools.
const actsFolder = "acts"

// actsOf names the set that says who may do an application's own acts.
func actsOf(app string) string { return app + "/" + actsFolder }

// appOf is the application of a set.
func appOf(set string) string { return strings.TrimSuffix(set, "/"+actsFolder) }

// Standard are the platform's own policies as they are built in, with no
// application's beside them. They are read once: parsing them takes milliseconds,
// and pages and tests ask for them thousands of times.
func Standard() *Rules { return standard() }

var standard = sync.OnceValue(func() *Rules {
	r, err := Load(nil, nil)
	if err != nil {
		panic(err) // they are compiled in, and a test reads them
	}
	return r
})

// App is the set that says who may call an application's tools; nil, which
// refuses everything, where it has none.
func (r *Rules) App(app string) *Set {
	if r == nil || len(r.acts[app]) > 0 {
		return nil
	}
	return r.sets[app]
}

// With are the same rules with another set for an application.
func (r *Rules) With(app string, set *Set) *Rules {
	sets := maps.Clone(r.sets)
	sets[app] = set
	return &Rules{acts: r.acts, byAct: r.byAct, sets: sets}
}

// Own is the set that says who may do the platform's acts.
func (r *Rules) Own() *Set { return r.Set(Own) }

// Sets names every set, the platform's own first: "platform", and for each
// application "poolpatrol", of its tools, and "poolpatrol/acts" if it has any.
func (r *Rules) Sets() []string {
	if r == nil {
		return nil
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(r.sets)), func(name string) bool { return name == Own })
	return append([]string{Own}, names...)
}

// Set is a set by the name that Sets gives it.
func (r *Rules) Set(name string) *Set {
	if r == nil {
		return nil
	}
	return r.sets[name]
}

// Acts lists every act there is: the platform's, and after them those of each
// application. A policy that names another is refused, and an address that needs
// another answers nobody.
func (r *Rules) Acts() []Act {
	if r == nil {
		return Acts()
	}
	var all []Act
	for _, name := range r.Sets() {
		all = append(all, r.acts[name]...)
	}
	return all
}

// act finds an act by its name.
func (r *Rules) act(name string) (ruled, bool) {
	if r == nil {
		a, known := actOf(name)
		return ruled{Act: a, set: Own}, known
	}
	a, known := r.byAct[name]
	return a, known
}

// CheckTools refuses policies that name a tool there is not.
func (r *Rules) CheckTools(known ...string) error {
	for _, name := range r.Sets() {
		if err := r.Set(name).CheckTools(known...); err != nil {
			text, _ := fault.Words(err)
			return fault.From(fault.KindOf(err), err, "policies of %s: %s", name, text)
		}
	}
	return nil
}

// Files are the files of all sets, each named with its set's folder, as a folder
// that overrides them would hold them.
func (r *Rules) Files() []File {
	var all []File
	for _, name := range r.Sets() {
		for _, f := range r.Set(name).Files() {
			all = append(all, File{Name: name + "/" + f.Name, Text: f.Text})
		}
	}
	return slices.SortedFunc(slices.Values(all), func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
}

// Digest names all sets together, as Set.Digest names one.
func (r *Rules) Digest() string { return DigestOf(r.Files()...) }

// May refuses an actor who may not do an act: nobody with SignIn, anybody else
// with Refused and whom to ask. Pages ask it to leave out what would be refused;
// every act asks it again.
func (r *Rules) May(a identity.Actor, act string) error {
	what, known := r.act(act)
	switch {
	case !known:
		return fault.New(fault.Internal, "no act is called %.60q", act)
	case !a.Known():
		return fault.New(fault.SignIn, "sign in to %s", what.Words)
	case what.Persons && a.Kind != identity.Person:
		return fault.New(fault.Refused, "only a person may %s", what.Words).Because("persons_only")
	case a.Viewing != "" && act == "view_as":
		return nil // who looks as another role may look as a third, or leave
	case a.Viewing != "" && !what.Reads:
		return fault.New(fault.Refused, "you are viewing as %s and can't %s", a.Viewing, what.Words).
			WithNext("leave that view first").Because("viewing")
	case a.Way == identity.ByTools && !what.Reads && !what.Tools:
		return fault.New(fault.Refused, "this sign-in is for tools and can't %s", what.Words).
			WithNext("do it yourself, on the page or with gavel login").Because("tools_only")
	}
	if r.ask(a, what).Call {
		return nil
	}
	if a.Kind == identity.Machine {
		no := fault.New(fault.Refused, "this token doesn't have access to %s", what.Words)
		if scopes := strings.Join(r.scopesFor(a.Org, what), " or "); scopes != "" {
			return no.WithNext("use a token with the scope %s", scopes).Because("token_scope", "scopes", scopes)
		}
		return whom(no, r.holders(a.Org, act))
	}
	return whom(fault.New(fault.Refused, "you don't have access to %s", what.Words), r.holders(a.Org, act))
}

// whom adds to a refusal which role has access.
func whom(no *fault.Error, roles []identity.Role) error {
	if len(roles) == 0 {
		return no.WithNext("nobody in your organisation has access; see who may do what: gavel policy table").Because("no_access_at_all")
	}
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = string(role)
	}
	said := strings.ReplaceAll(strings.Join(names, " or "), "_", " ")
	return no.WithNext("ask an administrator for the role %s", said).Because("no_access", "roles", strings.Join(names, ","))
}

// ask asks the policies of an act, and nothing else.
func (r *Rules) ask(a identity.Actor, act ruled) Answer {
	answer := Answer{Digest: r.Set(act.set).Digest()}
	if act.about == nil {
		answer.Because = []string{NoPermit}
		return answer
	}
	roles := Question{Actor: a}.roles()
	principal := principalOf(a, roles)
	resource := cedar.NewEntityUID("Case", "")
	req := cedar.Request{Principal: principal.UID, Resource: resource, Context: cedar.NewRecord(cedar.RecordMap{
		"act": cedar.String(act.Name), "org": cedar.String(a.Org), "roles": texts(roles), "scopes": texts(scopesOf(a))})}
	answer.Call = act.about.put(do, req, cedar.EntityMap{principal.UID: principal, resource: {UID: resource}}, &answer)
	return answer
}

// Holders are the roles that may do an act in an organisation that no policy
// names, found by asking.
func (r *Rules) Holders(act string) []identity.Role { return r.holders("any", act) }

func (r *Rules) holders(org identity.Org, act string) []identity.Role {
	what, known := r.act(act)
	return slices.DeleteFunc(identity.Roles(), func(role identity.Role) bool {
		return !known || !r.ask(identity.Actor{Kind: identity.Person, ID: "any", Org: org, Roles: []identity.Role{role}}, what).Call
	})
}
