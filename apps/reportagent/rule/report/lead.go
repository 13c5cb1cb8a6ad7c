package report

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
)

// most ways in which the numbers of one paragraph are led back: where several facts look alike.
const mostWays = 64

// A leader leads a text that people read back to the facts it shows. A sentence that nobody touched is the one it was made
// from; a number elsewhere is one of the facts that the section cites, if it looks exactly like it. Whether the words around
// it say so too is the verifier's to judge: a value alone proves nothing.
type leader struct {
	sentences []shown            // longest first
	numbers   []shown            // longest first
	look      map[string]string  // what a token shows
	twins     map[string][]shown // numbers that look alike
}

// A shown text is what a template looks like.
type shown struct{ looks, template string }

func newLeader(e Entry, book *fact.Book) (*leader, error) {
	l := &leader{look: map[string]string{}, twins: map[string][]shown{}}
	r := render.Renderer{Find: book.Latest}
	for _, p := range e.Paragraphs {
		for _, s := range p.Sentences {
			text, err := r.Text(s.Text)
			if err != nil {
				return nil, err
			}
			l.sentences = append(l.sentences, shown{plain(text), s.Text})
			for _, id := range s.Facts {
				for _, o := range []fact.Options{{}, {Abs: true}} {
					if err := l.number(r, render.Token{ID: id, Options: o}); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	longest := func(a, b shown) int { return len(b.looks) - len(a.looks) }
	slices.SortStableFunc(l.sentences, longest)
	slices.SortStableFunc(l.numbers, longest)
	return l, nil
}

func (l *leader) number(r render.Renderer, t render.Token) error {
	text, err := r.Text(t.String())
	if err != nil || l.look[t.String()] != "" {
		return err
	}
	looks := plain(text)
	l.look[t.String()] = looks
	if len(l.twins[looks]) == 0 {
		l.numbers = append(l.numbers, shown{looks, t.String()})
	}
	l.twins[looks] = append(l.twins[looks], shown{looks, t.String()})
	return nil
}

// plain is a text with every blank the common one: editors do not keep the others.
func plain(s string) string { return strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(s) }

// back is every way in which a paragraph may have been made, the likeliest first.
func (l *leader) back(text string) []string {
	ways := []string{""}
	text = plain(text)
	for text != "" {
		if i := slices.IndexFunc(l.sentences, func(s shown) bool { return strings.HasPrefix(text, s.looks) }); i >= 0 {
			ways = with(ways, l.sentences[i].template)
			text = text[len(l.sentences[i].looks):]
			continue
		}
		end := l.upto(text)
		ways = l.loose(ways, text[:end])
		text = text[end:]
	}
	return ways
}

// upto is how far a text is no sentence of ours.
func (l *leader) upto(text string) int {
	end := len(text)
	for _, s := range l.sentences {
		if i := strings.Index(text, s.looks); i > 0 {
			end = min(end, i)
		}
	}
	return end
}

// loose leads back the numbers of a text that somebody wrote.
func (l *leader) loose(ways []string, text string) []string {
	for text != "" {
		i := slices.IndexFunc(l.numbers, func(n shown) bool { return strings.HasPrefix(text, n.looks) && whole(text[len(n.looks):]) })
		if i < 0 {
			n := next(text)
			ways, text = with(ways, text[:n]), text[n:]
			continue
		}
		looks := l.numbers[i].looks
		var more []string
		for _, twin := range l.twins[looks] {
			more = append(more, with(ways, twin.template)...)
		}
		ways, text = more[:min(len(more), mostWays)], text[len(looks):]
	}
	return ways
}

// next is where the next number may begin: behind this one, or behind these letters.
func next(text string) int {
	digit := func(c byte) bool { return c >= '0' && c <= '9' || c == '.' || c == ',' }
	i := 0
	for i < len(text) && digit(text[i]) {
		i++
	}
	if i > 0 {
		return i
	}
	for i < len(text) && !digit(text[i]) && (i == 0 || !strings.HasPrefix(text[i:], "−")) {
		i++
	}
	return max(i, 1)
}

// whole reports whether a number ends here, and is not the beginning of a longer one.
func whole(rest string) bool {
	if rest == "" {
		return true
	}
	if c := rest[0]; c == '.' || c == ',' {
		return len(rest) == 1 || rest[1] < '0' || rest[1] > '9'
	}
	return rest[0] < '0' || rest[0] > '9'
}

func with(ways []string, more string) []string {
	out := make([]string, len(ways))
	for i, w := range ways {
		out[i] = w + more
	}
	return out
}

// show is a text with its tokens as people see them.
func (l *leader) show(text string) string {
	for token, looks := range l.look {
		text = strings.ReplaceAll(text, token, looks)
	}
	return text
}

var (
	numberForm = regexp.MustCompile(`\d[\d.,]*`)
	yearForm   = regexp.MustCompile(`^(?:19|20|21)\d\d$`)
)

// Cited counts the numbers of a text, and those among them that look like a fact of the section. Years are not counted, nor
// are digits in a name.
func (e Entry) Cited(text string) (numbers, cited int, err error) {
	book, err := e.Book()
	if err != nil {
		return 0, 0, err
	}
	l, err := newLeader(e, book)
	if err != nil {
		return 0, 0, err
	}
	for _, p := range render.Parse(l.back(text)[0]) {
		if p.Kind == render.Fact {
			numbers, cited = numbers+1, cited+1
			continue
		}
		for _, word := range strings.Fields(p.Text) {
			word = strings.Trim(word, ".,;:()%")
			if numberForm.FindString(word) == word && word != "" && !yearForm.MatchString(word) {
				numbers++
			}
		}
	}
	return numbers, cited, nil
}
