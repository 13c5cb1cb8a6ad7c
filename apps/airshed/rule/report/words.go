package report

import (
	"embed"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Lang is a language reports are written in.
type Lang string

// The languages.
const (
	English Lang = "en"
	Hindi   Lang = "hi"
)

// Langs lists the languages.
func Langs() []Lang { return []Lang{English, Hindi} }

//go:embed messages
var messages embed.FS

// catalogue is all that is said in one language, by key.
func catalogue(lang Lang) (map[string]string, error) {
	if !slices.Contains(Langs(), lang) {
		return nil, fault.New(fault.Invalid, "no report is written in %.20q", lang)
	}
	return wordsIn(string(lang) + ".json")
}

func wordsIn(name string) (map[string]string, error) {
	file, err := messages.ReadFile("messages/" + name)
	if err != nil {
		return nil, err
	}
	var out map[string]string
	if err := json.Unmarshal(file, &out); err != nil {
		return nil, fault.From(fault.Internal, err, "the words of %s cannot be read", name)
	}
	return out, nil
}

// A speaker says things in one language. The first thing it cannot say it keeps in
// err: no text is made with a hole in it.
type speaker struct {
	lang  Lang
	words map[string]string
	lines map[string]string  // lines of the law and its form, by the English they are kept in
	ids   map[string]fact.ID // of facts, by name
	err   error
}

func newSpeaker(lang Lang, facts []Named) (*speaker, error) {
	words, err := catalogue(lang)
	if err != nil {
		return nil, err
	}
	s := &speaker{lang: lang, words: words, ids: map[string]fact.ID{}}
	if lang == Hindi {
		if s.lines, err = wordsIn("law.hi.json"); err != nil {
			return nil, err
		}
	}
	for _, f := range facts {
		s.ids[f.Name] = f.ID
	}
	return s, nil
}

// with is what a text's places hold: {state} is a word, and {{@low}} the fact whose
// name is what "@" holds and then "low".
type with map[string]string

var holes = regexp.MustCompile(`\{\{([@#]?)([a-z0-9_.]+)((?:\|[a-z0-9]+)*)\}\}|\{([a-z_]+)\}`)

// has reports whether there are words for a key.
func (s *speaker) has(key string) bool { _, ok := s.words[key]; return ok }

// say is a text with its words filled in and its numbers cited by their tokens.
func (s *speaker) say(key string, in with) string {
	text, ok := s.words[key]
	if !ok {
		s.fail("there are no words for %q in %s", key, s.lang)
	}
	return holes.ReplaceAllStringFunc(text, func(hole string) string {
		part := holes.FindStringSubmatch(hole)
		if word := part[4]; word != "" {
			value, ok := in[word]
			if !ok {
				s.fail("%s: nothing stands for {%s}", key, word)
			}
			return plain(value)
		}
		id, ok := s.ids[in[part[1]]+part[2]]
		if !ok {
			s.fail("%s: no fact is called %q", key, in[part[1]]+part[2])
		}
		return "{{" + string(id) + part[3] + "}}"
	})
}

func (s *speaker) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fault.New(fault.Internal, format, args...)
	}
}

// maxName bounds a name from outside, in characters.
const maxName = 120

// plain is a name from outside as it may stand in a text: one line, without braces
// that could pass for a token.
func plain(name string) string {
	name = strings.Join(strings.FieldsFunc(name, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) ||
			c == unicode.ReplacementChar
	}), " ")
	name = strings.Map(func(c rune) rune {
		if c == '{' || c == '}' || unicode.Is(unicode.Cf, c) && c != '\u200c' && c != '\u200d' { // joiners shape Hindi
			return -1
		}
		return c
	}, name)
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName])
	}
	return strings.TrimSpace(name)
}

// state is what a state is called.
func (s *speaker) state(name string) string {
	switch {
	case name == "":
		return s.words["state.unknown"]
	case name == analysis.Abroad:
		return s.words["state.abroad"]
	case s.lang == Hindi && hindiNames()[name] != "":
		return hindiNames()[name]
	}
	return plain(name)
}

// station is what a station is called, without the city after it.
func (s *speaker) station(name string) string {
	short := shortName(name)
	if s.lang == Hindi && hindiNames()[short] != "" {
		return hindiNames()[short]
	}
	return short
}

func shortName(name string) string {
	short, _, _ := strings.Cut(plain(name), ", "+here)
	return short
}

// list joins names: "A, B and C".
func (s *speaker) list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + s.words["and"] + " " + names[last]
}

// day is a day in India, "14 November 2025".
func (s *speaker) day(t time.Time) string {
	t = t.In(aqi.India())
	month := t.Month().String()
	if s.lang == Hindi {
		month = [...]string{"", "जनवरी", "फरवरी", "मार्च", "अप्रैल", "मई", "जून", "जुलाई", "अगस्त", "सितंबर", "अक्टूबर", "नवंबर",
			"दिसंबर"}[t.Month()]
	}
	return t.Format("2 ") + month + t.Format(" 2006")
}

// moment is a day and a time in India, "14 November 2025, 13:30 IST".
func (s *speaker) moment(t time.Time) string {
	return s.day(t) + ", " + t.In(aqi.India()).Format("15:04") + " IST"
}

// date is the day of a source's own form, 2025-11-13, or as it came.
func (s *speaker) date(day string) string {
	t, err := time.ParseInLocation(time.DateOnly, day, aqi.India())
	if err != nil {
		return plain(day)
	}
	return s.day(t)
}

// Style is how numbers are written in a language: Indian grouping and the digits of
// the sources in both.
func Style(lang Lang) fact.Style {
	units := map[string]string{hours: "hours", days: "days"}
	if lang == Hindi {
		units = map[string]string{hours: "घंटे", days: "दिन", kilometres: "किमी", speed: "मी/से", megawatts: "मेगावाट"}
	}
	out := fact.Style{Units: map[string]string{}}
	for unit, word := range units {
		out.Units[fact.FoldUnit(unit)] = word
	}
	return out
}

// hindiNames are the Hindi names of states and stations. What is not here keeps its
// own name.
func hindiNames() map[string]string {
	all := hindiStates()
	maps.Copy(all, hindiStations())
	return all
}

func hindiStates() map[string]string {
	return map[string]string{
		"Delhi": "दिल्ली", "Punjab": "पंजाब", "Haryana": "हरियाणा", "Uttar Pradesh": "उत्तर प्रदेश", "Rajasthan": "राजस्थान",
		"Himachal Pradesh": "हिमाचल प्रदेश", "Uttarakhand": "उत्तराखंड", "Madhya Pradesh": "मध्य प्रदेश", "Chandigarh": "चंडीगढ़",
		"Bihar": "बिहार", "Gujarat": "गुजरात", "Maharashtra": "महाराष्ट्र", "Jharkhand": "झारखंड", "Chhattisgarh": "छत्तीसगढ़",
		"West Bengal": "पश्चिम बंगाल", "Odisha": "ओडिशा", "Jammu and Kashmir": "जम्मू और कश्मीर", "Ladakh": "लद्दाख",
	}
}

func hindiStations() map[string]string {
	return map[string]string{
		"Alipur": "अलीपुर", "Narela": "नरेला", "Bawana": "बवाना", "Mundka": "मुंडका", "Najafgarh": "नजफगढ़",
		"Dwarka-Sector 8": "द्वारका-सेक्टर 8", "NSIT Dwarka": "एनएसआईटी द्वारका", "Aya Nagar": "आया नगर",
		"Dr. Karni Singh Shooting Range": "डॉ. कर्णी सिंह शूटिंग रेंज", "Okhla Phase-2": "ओखला फेज़-2", "Anand Vihar": "आनंद विहार",
		"Vivek Vihar": "विवेक विहार", "IHBAS, Dilshad Garden": "इहबास, दिलशाद गार्डन", "Sonia Vihar": "सोनिया विहार",
		"Patparganj": "पटपड़गंज", "Rohini": "रोहिणी", "DTU": "डीटीयू", "Wazirpur": "वज़ीरपुर", "Jahangirpuri": "जहाँगीरपुरी",
		"ITO": "आईटीओ",
	}
}
