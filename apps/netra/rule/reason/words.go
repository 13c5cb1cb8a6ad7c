package reason

import (
	"embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/pii"
)

// A Lang is a language of the words.
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
		return nil, fault.New(fault.Invalid, "reasons are not written in %.20q", lang)
	}
	file, err := messages.ReadFile("messages/" + string(lang) + ".json")
	if err != nil {
		return nil, err
	}
	var out map[string]string
	if err := json.Unmarshal(file, &out); err != nil {
		return nil, fault.From(fault.Internal, err, "the words of %s cannot be read", lang)
	}
	return out, nil
}

// A speaker says things in one language. The first thing it cannot say it keeps in err.
type speaker struct {
	lang  Lang
	words map[string]string
	ids   map[string]fact.ID
	err   error
}

func newSpeaker(lang Lang, ids map[string]fact.ID) (*speaker, error) {
	words, err := catalogue(lang)
	return &speaker{lang: lang, words: words, ids: ids}, err
}

// with is what a text's places hold: {layer} is a word, and {{@.points}} the fact whose name is what "@" holds and
// then ".points".
type with map[string]string

var holes = regexp.MustCompile(`\{\{(@?)([a-z0-9_.]*)((?:\|[a-z0-9]+)*)\}\}|\{([a-z_]+)\}`)

// say is a text with its words filled in and its numbers cited by their tokens.
func (sp *speaker) say(key string, in with) string {
	text, ok := sp.words[key]
	if !ok {
		sp.fail("there are no words for %q in %s", key, sp.lang)
	}
	return holes.ReplaceAllStringFunc(text, func(hole string) string {
		part := holes.FindStringSubmatch(hole)
		if word := part[4]; word != "" {
			value, ok := in[word]
			if !ok {
				sp.fail("%s: nothing stands for {%s}", key, word)
			}
			return value
		}
		name := part[2]
		if part[1] != "" {
			name = in["@"] + name
		}
		id, ok := sp.ids[name]
		if !ok {
			sp.fail("%s: no fact is called %q", key, name)
		}
		return "{{" + string(id) + part[3] + "}}"
	})
}

func (sp *speaker) fail(format string, args ...any) {
	if sp.err == nil {
		sp.err = fault.New(fault.Internal, format, args...)
	}
}

// maxTold bounds a summary in a sentence, in characters.
const maxTold = 140

// tidy is somebody's words as they may stand in ours: one line, without braces that could pass for a token, and without
// personal data even if the door let it in.
func tidy(told string) string {
	told = pii.Mask(strings.Join(strings.FieldsFunc(told, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }), " "))
	told = strings.Map(func(c rune) rune {
		if c == '{' || c == '}' {
			return -1
		}
		return c
	}, told)
	if runes := []rune(told); len(runes) > maxTold {
		told = strings.TrimSpace(string(runes[:maxTold])) + "…"
	}
	return told
}

// Governance is what stands on every output.
func Governance(lang Lang) (string, error) {
	words, err := catalogue(lang)
	return words["governance"], err
}
