package mapping

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/platform/fault"
)

// Aliases are the categories that a word of a section's name stands for. A project may have its own.
type Aliases map[string][]string

// StandardAliases are those of energy reports.
func StandardAliases() Aliases {
	return Aliases{
		"electricity-generation": {"electricity"}, "power": {"electricity"}, "power-generation": {"electricity"},
		"electricity": {"electricity"}, "residential": {"residential", "built_environment"},
		"commercial": {"commercial", "built_environment"}, "buildings": {"built_environment", "residential", "commercial"},
		"industry": {"industry", "manufacturing"}, "manufacturing": {"manufacturing", "industry"}, "land": {"land_use"},
		"farming": {"agriculture"}, "mobility": {"transport"},
	}
}

// ParseAliases reads a project's own: an object from words to lists of categories. They are added to the standard ones, and
// count instead of them for a word that both have.
func ParseAliases(file []byte) (Aliases, error) {
	var own Aliases
	if err := json.Unmarshal(file, &own); err != nil {
		return nil, fault.From(fault.Invalid, err, "the aliases are not an object from words to lists of categories")
	}
	all := StandardAliases()
	for word, categories := range own {
		all[outline.Slug(word)] = categories
	}
	return all, nil
}

// stopWords say nothing about what a section is about.
var stopWords = strings.Fields("the and for with from into over under than then that this these those are was were has have had not " +
	"all any each provide provides overview section sections describe discuss compare comparison scenario scenarios chart charts show " +
	"shows result results projection projections report reports give how what which when where why who their there its also other most " +
	"more some such per")

// words are the words of a text that may say what it is about.
func words(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}) {
		if len([]rune(w)) > 2 && !slices.Contains(stopWords, w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// A scorer says how well charts match sections. It is the same for the same words: no model, no chance.
type scorer struct {
	aliases Aliases
	charts  []scored
}

type scored struct {
	key, id, category string
	slug              string // of the category
	words             []string
}

// newScorer prepares the charts whose numbers can be cited; a section cannot be written from a picture.
func newScorer(cat *catalogue.Catalogue, aliases Aliases) *scorer {
	s := &scorer{aliases: aliases}
	for _, ch := range cat.Charts {
		if ch.Citable() {
			s.charts = append(s.charts, scored{ch.Key, strings.ToLower(ch.ID), ch.Category, outline.Slug(ch.Category), words(ch.Title)})
		}
	}
	return s
}

// best is the charts that match a section, the best first: all that fit well, at least three if so many fit at all.
func (s *scorer) best(sec outline.Section, most int) []Pick {
	about := words(sec.Title + " " + sec.Instructions)
	standsFor := s.standsFor(sec)
	var all []Pick
	for _, ch := range s.charts {
		if score, reasons := s.score(sec, about, standsFor, ch); score > 0 {
			all = append(all, Pick{Chart: ch.key, Why: Auto, Score: score, Reasons: reasons})
		}
	}
	slices.SortFunc(all, func(a, b Pick) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chart, b.Chart)) })
	n := 0
	for n < len(all) && n < most && (all[n].Score >= goodFit || n < fewest) {
		n++
	}
	return all[:n]
}

// standsFor is the categories that a section's name stands for, with the word that says so.
func (s *scorer) standsFor(sec outline.Section) map[string]string {
	out := map[string]string{}
	for _, word := range slices.Sorted(maps.Keys(s.aliases)) {
		if !within(word, sec.Slug) {
			continue
		}
		for _, c := range s.aliases[word] {
			if out[c] == "" {
				out[c] = word
			}
		}
	}
	return out
}

// score adds up why a chart fits a section.
func (s *scorer) score(sec outline.Section, about []string, standsFor map[string]string, ch scored) (int, []string) {
	score := 0
	var reasons []string
	add := func(n int, format string, args ...any) {
		score += n
		reasons = append(reasons, fmt.Sprintf("+%d ", n)+fmt.Sprintf(format, args...))
	}
	if word := standsFor[ch.category]; word != "" || sec.Slug == ch.slug {
		add(3, "%s stands for category %s", cmp.Or(word, sec.Slug), ch.category)
	}
	if within(ch.slug, sec.ID) {
		add(2, "category %s is in the section's id", ch.category)
	}
	for _, w := range about {
		if slices.Contains(ch.words, w) {
			add(1, "both say %s", w)
		}
	}
	switch part := strings.ReplaceAll(sec.Slug, "-", "_"); {
	case part != "" && strings.Contains(ch.id, part):
		add(2, "the section's name is in the chart's")
	default:
		for _, p := range strings.Split(sec.Slug, "-") {
			if len([]rune(p)) > 3 && strings.Contains(ch.id, p) {
				add(1, "%s is in the chart's name", p)
				break
			}
		}
	}
	return score, reasons
}

// within reports whether a name stands in another as whole words: land-use in land-use-emissions, not in island-users.
func within(name, id string) bool {
	return name != "" && strings.Contains("-"+strings.ReplaceAll(id, "/", "-")+"-", "-"+name+"-")
}
