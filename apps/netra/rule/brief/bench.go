package brief

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fact/verify"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Bench is everything that a briefing may be worded from. The same basis gives the same bench, with the same numbers of facts: a
// model is shown it in one turn, and judged by it in another.
type Bench struct {
	Basis
	Body   []byte      // the basis as JSON
	Digest string      // of that
	Facts  []fact.Fact // in the order of their numbers

	ids   map[string]fact.ID
	names map[fact.ID]string
	book  *fact.Book
	check *verify.Verifier
}

// Lay makes a bench of a basis as JSON.
func Lay(body []byte) (*Bench, error) {
	sum := sha256.Sum256(body)
	b := &Bench{Body: body, Digest: hex.EncodeToString(sum[:]), ids: map[string]fact.ID{}, names: map[fact.ID]string{},
		book: fact.NewBook("briefing")}
	if err := json.Unmarshal(body, &b.Basis); err != nil {
		return nil, fault.From(fault.Internal, err, "what a briefing rests on cannot be read")
	}
	var err error
	if b.check, err = verify.New(profile()); err != nil {
		return nil, err
	}
	specs, err := b.specs()
	if err != nil {
		return nil, err
	}
	drafts, err := Drafts(b)
	if err != nil {
		return nil, err
	}
	for i, f := range drafts {
		if f, err = b.book.Add(f); err != nil {
			return nil, err
		}
		b.ids[specs[i].Name], b.names[f.ID] = f.ID, specs[i].Name
		b.Facts = append(b.Facts, f)
	}
	return b, nil
}

// Drafts are the bench's facts before they have numbers, in the order of these: for the records of a case.
func Drafts(b *Bench) ([]fact.Fact, error) {
	specs, err := b.specs()
	if err != nil {
		return nil, err
	}
	out := make([]fact.Fact, len(specs))
	for i, s := range specs {
		if out[i], err = fact.Read(s.Reading(b.Digest)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Name is what a fact is: "score", "layer.physical".
func (b *Bench) Name(id fact.ID) string { return b.names[id] }

// A Line is one sentence of a briefing, with its numbers as tokens.
type Line struct {
	Topic Topic  `json:"topic"`
	Text  string `json:"text"`
}

// Say is what code says, the finding first: of some topics, or of all where none is named.
func (b *Bench) Say(lang reason.Lang, topics ...Topic) (out []Line, err error) {
	if len(topics) == 0 {
		topics = Topics()
	}
	for i, t := range topics {
		s := saying{bench: b, lang: lang, topic: t}
		if i == 0 && t != Why {
			s.finding()
		}
		switch t {
		case Why:
			s.why()
		case Changed:
			s.changed()
		case Lower:
			s.lower()
		case Heard:
			s.heard()
		}
		if s.err != nil {
			return nil, s.err
		}
		out = append(out, s.out...)
	}
	return out, nil
}

// Show is a text with its numbers in place of their tokens.
func (b *Bench) Show(text string) (string, error) {
	return render.Renderer{Find: b.book.Latest}.Text(text)
}

// Shown is lines as people read them.
func (b *Bench) Shown(all []Line) ([]Line, error) {
	out := make([]Line, len(all))
	for i, l := range all {
		text, err := b.Show(l.Text)
		if err != nil {
			return nil, err
		}
		out[i] = Line{l.Topic, text}
	}
	return out, nil
}

// A saying is what is being said of a topic.
type saying struct {
	bench *Bench
	lang  reason.Lang
	topic Topic
	out   []Line
	err   error
}

func (s *saying) add(texts ...string) {
	for _, t := range texts {
		s.out = append(s.out, Line{s.topic, t})
	}
}

// say says one sentence by its key, with pairs of words.
func (s *saying) say(key string, words ...string) {
	in := map[string]string{}
	for i := 0; i+1 < len(words); i += 2 {
		in[words[i]] = words[i+1]
	}
	text, err := reason.Sentence(s.lang, key, in, s.bench.ids)
	if err != nil && s.err == nil {
		s.err = err
	}
	s.add(text)
}

func (s *saying) band(b score.Band) string { return reason.Band(s.lang, b) }

// finding is what stands first, whatever the question is after: whom it is about, and the score.
func (s *saying) finding() {
	texts, err := reason.Why(s.lang, s.bench.story(), s.bench.ids)
	s.err = err
	s.add(texts[:min(len(texts), 1)]...)
}

func (s *saying) why() {
	texts, err := reason.Why(s.lang, s.bench.story(), s.bench.ids)
	s.err = err
	s.add(texts...)
}

func (s *saying) changed() {
	b := s.bench
	switch {
	case !b.Before.Known:
		s.say("changed.none_before")
	default:
		s.say("changed.before", "band", s.band(b.Was))
	}
	switch {
	case !b.Change.Known:
	case b.Change.Value > 0:
		s.say("changed.rose")
	case b.Change.Value < 0:
		s.say("changed.fell")
	default:
		s.say("changed.same")
	}
	if b.Result.Score.Known {
		s.say("trend." + string(b.Result.Trend))
	}
}

func (s *saying) lower() {
	b := s.bench
	switch {
	case !b.Result.Score.Known:
		s.say("lower.none")
		return
	case b.Falls != nil:
		s.say("lower.falls", "band", s.band(b.Falls.Band))
	case b.Result.Band == score.Baseline:
		s.say("lower.lowest")
	default:
		s.say("lower.stays")
	}
	for i, w := range b.Without {
		if i >= len(b.Result.Top) || !lowers(b.Result, w) {
			continue
		}
		told := b.Told[b.Result.Top[i].ID]
		if told == "" {
			told = reason.Untold(s.lang)
		}
		if w.Score.Known {
			s.say("lower.without", "told", told, "band", s.band(w.Band), "@", withoutName(i))
		} else {
			s.say("lower.without_none", "told", told)
		}
	}
}

// lowers reports whether a score would be lower, as it is printed.
func lowers(now score.Result, w Without) bool {
	return !w.Score.Known || printed(w.Score.Value) < printed(now.Score.Value)
}

func (s *saying) heard() {
	s.say("heard.now")
	if s.bench.Coverage.Known {
		s.say("heard.usual")
	} else {
		s.say("heard.unknown")
	}
	if s.bench.Coverage.Known && s.bench.Coverage.Thin() {
		s.say("heard.thin")
	}
}
