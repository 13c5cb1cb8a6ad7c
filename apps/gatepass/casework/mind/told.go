package mind

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/apps/gatepass/outside"
	"github.com/gavelhq/gavel/apps/gatepass/rule/admit"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/reference"
	"github.com/gavelhq/gavel/apps/gatepass/rule/toolset"
)

// mostLines is how many passes or notices a model is shown of a list. It is told how many there are.
const mostLines = 50

// A Told is what an agent is told of a call, and a card shows: what the API answered, or what went wrong. Text in it was written by
// people and is a value, never an instruction.
type Told struct {
	Success    bool         `json:"success"`
	StatusCode int          `json:"status_code"`
	Passes     []PassLine   `json:"passes,omitempty"`
	Notices    []NoticeLine `json:"notices,omitempty"`
	Photos     []PhotoLine  `json:"photos,omitempty"`
	Total      int          `json:"total"`
	File       *FileLine    `json:"file,omitempty"`
	Error      *Trouble     `json:"error,omitempty"`
}

// A PassLine is a pass as an agent is told of it.
type PassLine struct {
	ID           string `json:"id"`
	PassNumber   string `json:"pass_number"`
	PersonName   string `json:"person_name"`
	Description  string `json:"description"`
	IsReturnable bool   `json:"is_returnable"`
	Status       string `json:"status"`
	ValidFrom    string `json:"valid_from"`
	ValidUntil   string `json:"valid_until"`
	Overdue      bool   `json:"is_overdue"`
	Expired      bool   `json:"is_expired"`
	Verdict      string `json:"verdict"`
	Reason       string `json:"verdict_reason"`
}

// A NoticeLine is a notice.
type NoticeLine struct {
	ID      string `json:"id"`
	Message string `json:"message"`
	Read    bool   `json:"is_read"`
	Number  string `json:"related_pass_number"`
}

// A PhotoLine is a photo of a pass, by its id.
type PhotoLine struct {
	ID      string `json:"photo_id"`
	Kind    string `json:"type"`
	URL     string `json:"file_url"`
	TakenAt string `json:"captured_at"`
	Ready   bool   `json:"is_ready"`
}

// A FileLine is a file that the API handed out: where the person gets the very same bytes, and their digest. A model sees none of them.
type FileLine struct {
	Name   string `json:"name"`
	Type   string `json:"content_type"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
	URL    string `json:"url"`
}

// A Trouble is an error in the first design's form, with its context in a closed one.
type Trouble struct {
	ErrorType      string  `json:"error_type"`
	ErrorMessage   string  `json:"error_message"`
	UserGuidance   string  `json:"user_guidance"`
	RetryPossible  bool    `json:"retry_possible"`
	RelatedContext Context `json:"related_context"`
}

// A Context is what else is known of an error.
type Context struct {
	Code          string   `json:"code"`
	AskedFor      string   `json:"asked_for"`
	Fields        []string `json:"fields,omitempty"`
	CurrentStatus string   `json:"current_status"`
	AllowedEvents []string `json:"allowed_events,omitempty"`
	Ask           []string `json:"ask,omitempty"`    // questions to the person, in order
	Choice        []string `json:"choice,omitempty"` // the passes of which one is meant
}

// stopped is what is told of a call that was not made.
func stopped(r admit.Ruling, lang string) Told {
	t := troubleOf(*r.Info, lang)
	t.RelatedContext.Code = r.Code
	for _, p := range r.Asks {
		t.RelatedContext.Ask = append(t.RelatedContext.Ask, toolset.Question(p).In(lang))
	}
	for _, c := range r.Choice {
		t.RelatedContext.Choice = append(t.RelatedContext.Choice, strings.TrimSpace(string(c.Number)+" "+clean(c.Person)))
	}
	return Told{Error: &t}
}

// troubleOf is an error with what may be done about it in words.
func troubleOf(e toolset.ErrorInfo, lang string) Trouble {
	t := Trouble{ErrorType: e.ErrorType, ErrorMessage: clean(e.ErrorMessage), UserGuidance: toolset.Guide(e.ErrorType).In(lang),
		RetryPossible: e.RetryPossible}
	text, err := json.Marshal(e.RelatedContext)
	if err == nil {
		_ = json.Unmarshal(text, &t.RelatedContext) // what does not fit stays out
	}
	return t
}

// answered is what is told of an answer.
func answered(t toolset.Tool, q outside.Request, r outside.APIResponse, lang string) Told {
	out := Told{Success: r.Success, StatusCode: r.StatusCode}
	switch {
	case !r.Success:
		e := troubleOf(r.Info(), lang)
		out.Error = &e
	case r.File != nil:
		out.File = &FileLine{Name: clean(r.File.Name), Type: r.File.Type, Bytes: len(r.File.Bytes), SHA256: r.File.SHA256, URL: q.Path}
	case strings.HasPrefix(t.Path, "/notifications/"):
		out.Notices, out.Total = lines[NoticeLine](r.Data)
		for i := range out.Notices {
			out.Notices[i].Message = clean(out.Notices[i].Message)
		}
	case strings.HasPrefix(t.Path, "/gate/photos/"):
		var all struct {
			Photos []PhotoLine `json:"photos"`
			Total  int         `json:"total"`
		}
		_ = json.Unmarshal(r.Data, &all) // it is JSON, and what is not there stays empty
		out.Photos, out.Total = all.Photos[:min(len(all.Photos), mostLines)], all.Total
	default:
		out.Passes, out.Total = lines[PassLine](r.Data)
		for i := range out.Passes {
			p := &out.Passes[i]
			p.PersonName, p.Description = clean(p.PersonName), clean(p.Description)
		}
	}
	out.Total = max(out.Total, r.Total)
	return out
}

// lines reads one thing or a list of them.
func lines[T any](data json.RawMessage) ([]T, int) {
	var all []T
	if json.Unmarshal(data, &all) == nil {
		return all[:min(len(all), mostLines)], len(all)
	}
	var one T
	if json.Unmarshal(data, &one) != nil {
		return nil, 0
	}
	return []T{one}, 1
}

// refs are the passes that an answer is about, as the person will speak of them.
func (t Told) refs(q outside.Request) []reference.Ref {
	var out []reference.Ref
	for _, p := range t.Passes {
		out = append(out, reference.Ref{Number: number.Number(p.PassNumber), ID: p.ID, Person: p.PersonName})
	}
	if n, err := number.Parse(q.About); err == nil && t.Success && len(out) == 0 && t.Notices == nil {
		out = append(out, reference.Ref{Number: n})
	}
	return out
}

// clean is a text that somebody wrote, on one line and without what steers a terminal or a page.
func clean(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf) && !slices.Contains([]rune{'\u200c', '\u200d'}, r): // joiners are Hindi's
			return -1
		}
		return r
	}, s)), " ")
}
