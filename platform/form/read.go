package form

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// The names of controls: a prefix and the field's pointer.
const (
	valuePrefix = "v"    // what was written or picked
	isPrefix    = "is"   // whether it is there
	rowsPrefix  = "rows" // the keys of a list's rows, in order
)

// asDrawn follows the value of a presence that the page drew as chosen. Somebody
// who writes into a field that was left out has not left it out.
const asDrawn = "*"

// Control is the name of the control that holds what is written or picked.
func (f Field) Control() string { return valuePrefix + f.Pointer }

// PresenceControl is the name of the control that says whether the field is
// there. A group or list has it as a hidden one.
func (f Field) PresenceControl() string { return isPrefix + f.Pointer }

// RowsControl is the name of the hidden control that lists the rows of a list.
func (f Field) RowsControl() string { return rowsPrefix + f.Pointer }

// RowKeys is the value of that control.
func (f Field) RowKeys() string {
	keys := make([]string, len(f.Fields))
	for i, row := range f.Fields {
		keys[i] = row.key
	}
	return strings.Join(keys, ",")
}

// Presences are what the presence control offers; none where there is no
// choice. Of a field that is picked they join its options.
func (f Field) Presences() []Option {
	if !f.Optional && !f.Nullable {
		return nil
	}
	var all []Option
	for _, is := range []Presence{In, Out, Null} {
		if is == Out && !f.Optional || is == Null && !f.Nullable || is == In && f.Kind.Picks() {
			continue
		}
		o := Option{Value: string(is), Chosen: f.Is == is}
		if o.Chosen && !f.Kind.Holds() && !f.Kind.Picks() {
			o.Value += asDrawn
		}
		all = append(all, o)
	}
	return all
}

// take puts what was sent into a field.
func (b *builder) take(f *Field) {
	switch {
	case f.Kind.Holds():
		b.takePresence(f)
		return
	case f.Kind.Picks():
		b.pick(f)
		return
	}
	text, ok := b.one(f.Control())
	if !ok {
		f.Problem = &Problem{Code: Incomplete}
		return
	}
	f.Text = text
	b.takePresence(f)
	if f.fill && text != "" {
		f.Is = In
	}
	if f.Is != In {
		f.Text = ""
	}
}

// takePresence reads whether a field is there.
func (b *builder) takePresence(f *Field) {
	if !f.Optional && !f.Nullable {
		f.Is = In
		return
	}
	sent, ok := b.one(f.PresenceControl())
	is, same := strings.CutSuffix(sent, asDrawn)
	switch Presence(is) {
	case In:
		f.Is = In
	case Out:
		ok = ok && f.Optional
		f.Is = Out
	case Null:
		ok = ok && f.Nullable
		f.Is = Null
	default:
		ok = false
	}
	f.fill = same && f.Is != In
	if !ok {
		f.Problem = &Problem{Code: Incomplete}
	}
}

// pick reads which option of a field was chosen.
func (b *builder) pick(f *Field) {
	sent, ok := b.one(f.Control())
	f.Is = In
	found := false
	for i := range f.Options {
		f.Options[i].Chosen = f.Options[i].Value == sent
		found = found || f.Options[i].Chosen
	}
	switch {
	case !ok:
		f.Problem = &Problem{Code: Incomplete}
	case found:
	case sent == string(Out) && f.Optional:
		f.Is = Out
	case sent == string(Null) && f.Nullable:
		f.Is = Null
	default:
		f.Problem = &Problem{Code: BadChoice}
	}
}

// one is the value of a control that has to be there once.
func (b *builder) one(name string) (string, bool) {
	all := b.sent[name]
	if len(all) != 1 || len(all[0]) > maxJSON {
		return "", false
	}
	return all[0], true
}

var keyForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,3}|n[1-9][0-9]{0,3})$`)

// takeRows reads which rows of a list are there.
func (b *builder) takeRows(f *Field, held int) []string {
	sent, ok := b.one(f.RowsControl())
	if sent == "" {
		if !ok {
			f.Problem = &Problem{Code: Incomplete}
		}
		return nil
	}
	keys := strings.Split(sent, ",")
	seen := map[string]bool{}
	for _, key := range keys {
		i, err := strconv.Atoi(key)
		if !keyForm.MatchString(key) || seen[key] || err == nil && i >= held || len(keys) > maxRows {
			f.Problem = &Problem{Code: Incomplete}
			return nil
		}
		seen[key] = true
	}
	return keys
}

// The things a person can do to the shape of a form, each with a button whose
// value is the word, a colon and the pointer of the field.
const (
	AddRow  = "add"  // to a list; a list that was left out is then there
	DropRow = "drop" // a row
	FillIn  = "fill" // a group or list that was left out or null
	LeaveIt = "omit" // a group or list that may be left out
)

// Do changes the shape of a form as a button says, and what was filled in stays.
func (f *Form) Do(button string) error {
	word, pointer, _ := strings.Cut(button, ":")
	if !slices.Contains([]string{AddRow, DropRow, FillIn, LeaveIt}, word) {
		return fault.New(fault.Invalid, "a form has no button %.20q", word)
	}
	if !f.Root.do(word, pointer) {
		return fault.New(fault.Invalid, "nothing in this form can be changed like that").Because("form_stale")
	}
	return nil
}

func (f *Field) do(word, pointer string) bool {
	if word == DropRow && f.Kind == List {
		n := len(f.Fields)
		f.Fields = slices.DeleteFunc(f.Fields, func(row Field) bool { return row.Pointer == pointer })
		if len(f.Fields) < n {
			return true
		}
	}
	if f.Pointer == pointer {
		return f.reshape(word)
	}
	for i := range f.Fields {
		if strings.HasPrefix(pointer+"/", f.Fields[i].Pointer+"/") && f.Fields[i].do(word, pointer) {
			return true
		}
	}
	return false
}

func (f *Field) reshape(word string) bool {
	switch {
	case !f.Kind.Holds():
		return false
	case word == AddRow && f.Kind == List && len(f.Fields) < maxRows:
		f.Is = In
		b := builder{left: maxFields}
		f.Fields = append(f.Fields, b.row(f, nil, f.newKey(), strings.Count(f.Pointer, "/")))
	case word == FillIn && f.Is != In:
		n := node{schema: f.schema, value: f.base, based: f.based && f.base != nil, fresh: true, needed: true, pointer: f.Pointer,
			name: f.Name,
			key:  f.key, depth: strings.Count(f.Pointer, "/")}
		b := builder{left: maxFields}
		again := b.field(n)
		f.Is, f.Fields = In, again.Fields
	case word == LeaveIt && f.Optional:
		f.Is, f.Fields = Out, nil
	default:
		return false
	}
	return true
}

// newKey is a row's key that no other row has.
func (f *Field) newKey() string {
	most := 0
	for _, row := range f.Fields {
		if n, err := strconv.Atoi(strings.TrimPrefix(row.key, "n")); err == nil && strings.HasPrefix(row.key, "n") {
			most = max(most, n)
		}
	}
	return "n" + strconv.Itoa(most+1)
}

// Button is the value of a button that changes the shape of the form at a field.
func (f Field) Button(word string) string { return word + ":" + f.Pointer }

// Values are the controls of a form as a browser that changed nothing would send
// them, for whoever fills in a form without one.
func (f *Form) Values() url.Values {
	all := url.Values{}
	f.Root.send(all)
	return all
}

func (f Field) send(all url.Values) {
	if f.Kind.Picks() {
		value := ""
		for _, o := range append(slices.Clone(f.Options), f.Presences()...) {
			if o.Chosen {
				value = o.Value
			}
		}
		all.Set(f.Control(), value)
		return
	}
	for _, o := range f.Presences() {
		if o.Chosen {
			all.Set(f.PresenceControl(), o.Value)
		}
	}
	switch {
	case !f.Kind.Holds():
		all.Set(f.Control(), strings.ReplaceAll(lines(f.Text), "\n", "\r\n"))
	case f.Kind == List && f.Is == In:
		all.Set(f.RowsControl(), f.RowKeys())
	}
	for _, inner := range f.Fields {
		inner.send(all)
	}
}
