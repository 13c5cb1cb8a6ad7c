package content

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// An erasure is a proven record that says which parts of the case were blanked.
type erasure struct {
	bundle.Proven
	body seal.CaseErasure
}

// gaps are the parts of the case that the log says were blanked, by their names.
// A part that has lost its words and is not among them was not erased: somebody
// took them out.
type gaps map[string]erasure

// erasuresOf reads the records about one kind of part, in the order of the log.
// Only a person erases; a record that says otherwise covers nothing.
func erasuresOf(r *bundle.Reader, what string) []erasure {
	var all []erasure
	for _, p := range r.Records() {
		if p.Record.Kind != audit.Erasure || p.Record.Subject != r.Manifest().Case || p.Record.Actor.Kind != identity.Person {
			continue
		}
		one := erasure{Proven: p}
		raw, _ := p.Record.Body.(json.RawMessage)
		if json.Unmarshal(raw, &one.body) == nil && one.body.What == what {
			all = append(all, one)
		}
	}
	return all
}

func gapsOf(r *bundle.Reader, what string) gaps {
	found := gaps{}
	for _, one := range erasuresOf(r, what) {
		for _, name := range one.body.Listed {
			for _, part := range unfold(what, name) {
				found[part] = one
			}
		}
	}
	return found
}

// unfold opens a span of entries, "7-9".
func unfold(what, name string) []string {
	from, to, span := strings.Cut(name, "-")
	if what != casefile.ErasedEntries || !span {
		return []string{name}
	}
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || first < 1 || last < first || last-first >= maxEntries {
		return nil
	}
	var out []string
	for n := first; n <= last; n++ {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// judge says what is wrong with a part, or nothing. at is when it says that it was
// erased, nil where it does not; words are what it must have lost by then.
func (g gaps) judge(name string, at *time.Time, words ...string) string {
	rec, known := g[name]
	switch {
	case at == nil && known:
		return fmt.Sprintf("has its words, and record %s says that they were erased", rec.ID)
	case at == nil:
		return ""
	case !known:
		return "has lost its words, and no record of the log in this bundle says that they were erased"
	case !rec.Record.At.Equal(*at):
		return fmt.Sprintf("is said to be erased at another time than record %s says", rec.ID)
	case strings.Join(words, "") != "":
		return "is said to be erased and still has words"
	}
	return ""
}

// A tally collects what was erased on record, for a check of its own: such a
// part is neither what the log says nor against it.
type tally struct {
	rep  *bundle.Report
	path string
	c    *bundle.Check
	n    int
}

// gone adds a part. thing is what people call it: "Note 3".
func (t *tally) gone(thing string, rec erasure) {
	if t.c == nil {
		t.c = t.rep.Check("what is gone was erased on record",
			"each gap is one that the log says a named administrator made, on that day and on that ground",
			"what stood there: without its words a part can no longer be compared with its digest in the log")
	}
	t.n++
	t.c.Gone(t.path, "%s (%s) was erased on %s, by record %s.", thing, t.path, rec.Record.At.Format(time.DateOnly), rec.ID)
	t.c.Saw("%d erased", t.n)
}
