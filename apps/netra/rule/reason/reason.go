// Package reason says in words why a district has its score: what raises it, what lowers it, what was left out, where it is
// going. Every number it says is a fact that stands in the score's own JSON; code chooses the sentences.
//
// Read Facts for the numbers, Say for sentences that cite them, and Plain for both at once. Words exist in
// English and Hindi, and for nothing that the score does not say: no cause, no person, no community, no forecast.
package reason

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Story is a score and what its words need besides it.
type Story struct {
	District string            // its name, as people read it
	LGD      int               //
	Result   score.Result      //
	Told     map[string]string // the summaries of the signals that the score names, by their ids
}

// Say is why, in sentences whose numbers are tokens, {{F17}}. ids are the facts' numbers by the names Facts gave them.
func Say(lang Lang, s Story, ids map[string]fact.ID) ([]string, error) {
	sp, err := newSpeaker(lang, ids)
	if err != nil {
		return nil, err
	}
	out := sp.story(s)
	return out, sp.err
}

// Plain is why, with the numbers in it: for the command line, and for a page that has no case.
func Plain(lang Lang, s Story) (string, error) {
	raw, err := json.Marshal(s.Result)
	if err != nil {
		return "", fault.From(fault.Internal, err, "a score cannot be written down")
	}
	sum := sha256.Sum256(raw)
	book := fact.NewBook("netra")
	ids := map[string]fact.ID{}
	for _, spec := range Facts(s) {
		f, err := fact.Read(spec.Reading(hex.EncodeToString(sum[:])))
		if err != nil {
			return "", err
		}
		if f, err = book.Add(f); err != nil {
			return "", err
		}
		ids[spec.Name] = f.ID
	}
	text, err := Say(lang, s, ids)
	if err != nil {
		return "", err
	}
	return render.Renderer{Find: book.Latest}.Text(strings.Join(text, " "))
}

// Why is Say without where it is going and without the text of governance: the finding, and what it rests on.
func Why(lang Lang, s Story, ids map[string]fact.ID) ([]string, error) {
	sp, err := newSpeaker(lang, ids)
	if err != nil {
		return nil, err
	}
	out := sp.why(s)
	return out, sp.err
}

// Sentence is one text by its key, with its words filled in and its numbers cited by their tokens: what briefings say besides.
func Sentence(lang Lang, key string, words map[string]string, ids map[string]fact.ID) (string, error) {
	sp, err := newSpeaker(lang, ids)
	if err != nil {
		return "", err
	}
	out := sp.say(key, words)
	return out, sp.err
}

// story is the sentences in their order: the finding first.
func (sp *speaker) story(s Story) []string {
	out := sp.why(s)
	if s.Result.Score.Known {
		out = append(out, sp.say("trend."+string(s.Result.Trend), nil))
	}
	return append(out, sp.say("governance", nil))
}

// why is the finding first, and then what it rests on.
func (sp *speaker) why(s Story) []string {
	r := s.Result
	at := with{"district": s.District}
	if !r.Score.Known {
		return []string{sp.say("status."+string(r.Status), at)}
	}
	at["band"] = sp.say("band."+r.Band.String(), nil)
	out := []string{sp.say("score", at)}
	if r.ByLayer > r.ByScore {
		out = append(out, sp.say("by_layer", with{"low": sp.say("band."+r.ByScore.String(), nil), "layer": sp.layer(r.Primary)}))
	}
	out = append(out, sp.triggers(r)...)
	out = append(out, sp.movers(s)...)
	out = append(out, sp.say("signals", nil))
	if excluded(r) > 0 {
		out = append(out, sp.say("left_out", nil))
	}
	return out
}

// triggers says which layers carry the score.
func (sp *speaker) triggers(r score.Result) []string {
	if r.Primary == score.None {
		return []string{sp.say("flat", nil)}
	}
	out := []string{sp.say("primary", with{"layer": sp.layer(r.Primary), "@": "layer." + string(r.Primary)})}
	for _, l := range r.Secondary {
		out = append(out, sp.say("secondary", with{"layer": sp.layer(l), "@": "layer." + string(l)}))
	}
	return out
}

// movers says what the heaviest signals do, by their sign.
func (sp *speaker) movers(s Story) (out []string) {
	for i, c := range s.Result.Top {
		told := tidy(s.Told[c.ID])
		if told == "" {
			told = sp.say("untold", nil)
		}
		in := with{"told": told, "layer": sp.layer(c.Layer), "@": topName(i)}
		switch {
		case c.Points > 0:
			out = append(out, sp.say("raises", in))
		case c.Points < 0:
			out = append(out, sp.say("lowers", in))
		case c.Relief < 0:
			out = append(out, sp.say("relieves", in))
		}
	}
	return out
}

func (sp *speaker) layer(l signal.Layer) string { return sp.say("layer."+string(l), nil) }

// excluded is how many signals were left out as the police's own.
func excluded(r score.Result) (n int64) {
	for _, l := range r.Layers {
		n += l.Excluded
	}
	return n
}

// Band is a band as people read it.
func Band(lang Lang, b score.Band) string { return word(lang, "band."+b.String()) }

// Layer is a layer as people read it.
func Layer(lang Lang, l signal.Layer) string { return word(lang, "layer."+string(l)) }

// Untold is what stands for a signal of which nothing may be said.
func Untold(lang Lang) string { return word(lang, "untold") }

// Tidy is somebody's words as they may stand among ours: one line, and without personal data.
func Tidy(told string) string { return tidy(told) }

// word is a text without holes; its key where there is none, which a test refuses.
func word(lang Lang, key string) string {
	words, err := catalogue(lang)
	if err != nil || words[key] == "" {
		return key
	}
	return words[key]
}
