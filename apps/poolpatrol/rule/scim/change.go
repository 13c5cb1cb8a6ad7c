package scim

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
)

// A Change is what a request says about somebody: only what it says is changed.
type Change struct {
	UserName   *string
	ExternalID *string
	active     *bool
	whole      *string // the name
	given      *string
	family     *string
	emails     []addressed
	language   *string
	shift      *string
	from       *string
	site       *string
	zip        *string
	manager    *string
}

// ReadUser reads a user that is to be made or written whole. What a body leaves out
// is not asserted, and stays as it is: a system that knows nothing of vanpools must
// not empty what it never knew.
func ReadUser(body []byte) (c Change, err error) {
	var all map[string]any
	if err := decode(body, &all); err != nil {
		return c, err
	}
	return c, c.takeAll("", all, false)
}

// ReadPatch reads the operations of a PATCH, in order.
func ReadPatch(body []byte) (c Change, err error) {
	var in struct {
		Schemas    []string `json:"schemas"`
		Operations []struct {
			Op    string `json:"op"`
			Path  string `json:"path"`
			Value any    `json:"value"`
		} `json:"Operations"`
	}
	if err := decode(body, &in); err != nil {
		return c, err
	}
	switch n := len(in.Operations); {
	case !slices.Contains(in.Schemas, patchOp):
		return c, refuse(InvalidSyntax, "the body of a PATCH has the schema %s", patchOp)
	case n == 0:
		return c, refuse(InvalidSyntax, "there are no operations")
	case n > MaxOperations:
		return c, refuse(TooMany, "there are %d operations; the most is %d", n, MaxOperations)
	}
	for _, o := range in.Operations {
		if err := c.operate(strings.ToLower(o.Op), o.Path, o.Value); err != nil {
			return Change{}, err
		}
	}
	return c, nil
}

func decode(body []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(into); err != nil {
		return refuse(InvalidSyntax, "the body is not the JSON it should be")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return refuse(InvalidSyntax, "something follows the body's JSON")
	}
	return nil
}

// operate does one operation. Every attribute held here has one value, so that to
// add one is to replace it.
func (c *Change) operate(op, path string, value any) error {
	switch op {
	case "add", "replace":
		if path == "" {
			all, ok := value.(map[string]any)
			if !ok {
				return refuse(InvalidValue, "an operation without a path has an object as its value")
			}
			return c.takeAll("", all, true)
		}
		return c.take(path, value, true)
	case "remove":
		if path == "" {
			return refuse(NoTarget, "to remove something, say what")
		}
		return c.take(path, nil, true)
	}
	return refuse(InvalidSyntax, "operations are add, replace and remove")
}

// takeAll takes every attribute of an object, in order of name: what a request means
// does not depend on chance. strict refuses those that no schema has.
func (c *Change) takeAll(under string, all map[string]any, strict bool) error {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := c.take(under+name, all[name], strict); err != nil {
			return err
		}
	}
	return nil
}

const (
	maxPath = 256 // bytes
	ext     = "+" // what the extension's attributes are known by
)

// attribute is a path in one form: small letters, without schema and filter, which
// is given beside it.
func attribute(path string) (name, filter string) {
	p := strings.ToLower(strings.TrimSpace(path))
	p = strings.TrimPrefix(p, strings.ToLower(CoreUser)+":")
	if rest, ok := strings.CutPrefix(p, strings.ToLower(Extension)); ok {
		return ext + strings.TrimLeft(rest, ":."), ""
	}
	if strings.HasPrefix(p, strings.ToLower(Enterprise)) {
		return "enterprise", ""
	}
	if open, shut := strings.IndexByte(p, '['), strings.LastIndexByte(p, ']'); open > 0 && shut > open {
		p, filter = p[:open]+p[shut+1:], p[open+1:shut] // emails[type eq "work"].value
	}
	return p, filter
}

// notHeld are attributes of the standard's user, and of every resource, that say
// nothing the programme holds. They are read over.
var notHeld = []string{"schemas", "id", "meta", "groups", "roles", "entitlements", "password", "title", "usertype", "nickname",
	"profileurl", "locale", "timezone",
	"phonenumbers", "ims", "photos", "addresses", "x509certificates", "enterprise", "name.middlename", "name.honorificprefix",
	"name.honorificsuffix"}

// take takes one attribute. A nil value empties it.
func (c *Change) take(path string, value any, strict bool) error {
	if len(path) > maxPath {
		return refuse(InvalidPath, "a path has more than %d bytes", maxPath)
	}
	name, filter := attribute(path)
	switch name {
	case "active":
		return c.takeActive(value)
	case "name", ext:
		return c.takeObject(name, path, value, strict)
	case "emails", "emails.value":
		return c.takeEmail(filter, value)
	case ext + "manager", ext + "manager.value":
		if o, ok := value.(map[string]any); ok {
			value = o["value"]
		}
		return text(&c.manager, path, value)
	}
	if into := c.texts()[name]; into != nil {
		return text(into, path, value)
	}
	head, _, _ := strings.Cut(name, ".")
	if slices.Contains(notHeld, name) || slices.Contains(notHeld, head) || strings.HasPrefix(name, "emails.") || !strict &&
		!strings.HasPrefix(name, ext) {
		return nil
	}
	return refuse(InvalidPath, "there is no attribute %.80q here", path)
}

// takeObject takes the parts of an attribute that is an object. Null takes a name
// away; of the extension it says nothing, for a shift is never taken away.
func (c *Change) takeObject(name, path string, value any, strict bool) error {
	if value == nil {
		if name == "name" {
			c.given, c.family = new(string), new(string)
		}
		return nil
	}
	all, ok := value.(map[string]any)
	if !ok {
		return refuse(InvalidValue, "%.80s is an object", path)
	}
	return c.takeAll(map[string]string{"name": "name.", ext: Extension + ":"}[name], all, strict)
}

// texts are the attributes that are one text.
func (c *Change) texts() map[string]**string {
	return map[string]**string{"username": &c.UserName, "externalid": &c.ExternalID, "displayname": &c.whole, "name.formatted": &c.whole,
		"name.givenname": &c.given, "name.familyname": &c.family, "preferredlanguage": &c.language,
		ext + "shift_id": &c.shift, ext + "effective_from": &c.from, ext + "site_id": &c.site, ext + "home_zip": &c.zip}
}

func text(into **string, path string, value any) error {
	s, ok := value.(string)
	if value != nil && !ok {
		return refuse(InvalidValue, "%.80s is a text", path)
	}
	s = strings.TrimSpace(s)
	*into = &s
	return nil
}

// takeActive reads a truth, also one in a string: some systems write "False".
func (c *Change) takeActive(value any) error {
	switch v := value.(type) {
	case bool:
		c.active = &v
		return nil
	case string:
		if is := strings.EqualFold(v, "true"); is || strings.EqualFold(v, "false") {
			c.active = &is
			return nil
		}
	}
	return refuse(InvalidValue, "active is true or false")
}

// Apply makes the change to somebody on record, and to what the other system knows
// them by. today is the first day of a shift for which none was said. What results
// is checked where every import is.
func (c Change) Apply(e *intake.Employee, external *string, today fleet.Date) error {
	if c.UserName != nil && !strings.EqualFold(*c.UserName, string(e.ID)) {
		return refuse(Mutability, "a userName is an employee's id, and stays")
	}
	if c.ExternalID != nil {
		if utf8.RuneCountInString(*c.ExternalID) > maxExternal || strings.ContainsRune(*c.ExternalID, 0) {
			return refuse(InvalidValue, "an externalId has at most %d characters", maxExternal)
		}
		*external = *c.ExternalID
	}
	switch {
	case c.active == nil:
	case !*c.active:
		e.Status = fleet.Inactive
	case e.Status != fleet.OnLeave:
		e.Status = fleet.Active
	}
	c.applyName(e)
	for _, a := range c.emails {
		if a.held == nil || strings.EqualFold(*a.held, e.Email) {
			e.Email = a.to
		}
	}
	if c.language != nil {
		e.Language, _, _ = strings.Cut(strings.ReplaceAll(*c.language, "_", "-"), "-")
	}
	setID(&e.Site, c.site)
	setID(&e.Manager, c.manager)
	if c.zip != nil && *c.zip != e.ZIP {
		// Where they lived says nothing any more: until coordinates come nobody is judged on
		// a home they left.
		e.ZIP, e.Address, e.Home, e.ZIPOnly, e.Radius = *c.zip, "", nil, false, 0
	}
	return c.applyShift(e, today)
}

func set(into, value *string) {
	if value != nil {
		*into = *value
	}
}

func setID[S ~string](into *S, value *string) {
	if value != nil {
		*into = S(*value)
	}
}

// applyName puts a name together. The whole counts; without it, parts change theirs.
func (c Change) applyName(e *intake.Employee) {
	switch {
	case c.whole != nil && (*c.whole != "" || c.given == nil && c.family == nil):
		e.Name = *c.whole
	case c.given != nil || c.family != nil:
		given, family := parts(e.Name)
		set(&given, c.given)
		set(&family, c.family)
		e.Name = strings.TrimSpace(given + " " + family)
	}
}

// applyShift makes a shift the newest: what was to begin later, or on the same day,
// is not so any more. Shifts before it stay.
func (c Change) applyShift(e *intake.Employee, today fleet.Date) error {
	if c.shift == nil && c.from == nil {
		return nil
	}
	last, _ := newest(e.Shifts)
	shift, from := last.Shift, last.From
	if c.shift != nil && fleet.ShiftID(*c.shift) != shift {
		shift, from = fleet.ShiftID(*c.shift), today
	}
	if shift == "" {
		return refuse(InvalidValue, "a shift is replaced by another, and not taken away")
	}
	if c.from != nil && *c.from != "" {
		day, err := fleet.ParseDate(*c.from)
		if err != nil {
			return refuse(InvalidValue, "effective_from is a day, as 2026-12-31")
		}
		from = day
	}
	if shift == last.Shift && from == last.From {
		return nil
	}
	e.Shifts = append(slices.DeleteFunc(slices.Clone(e.Shifts), func(a fleet.Assignment) bool { return a.From >= from }),
		fleet.Assignment{Shift: shift, From: from})
	return nil
}
