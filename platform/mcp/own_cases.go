package mcp

import (
	"context"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// Bounds of what is looked through and told at once.
const (
	casesTold      = 20
	casesSearched  = 1000 // newest first; more are found from where the page ends
	casesPerPage   = 200
	notesTold      = 30
	proposalsTold  = 30
	longestWords   = 200 // characters of a search
	longestExcerpt = 600 // characters of one note
)

type searchIn struct {
	Words string `json:"words,omitempty" jsonschema:"words that all stand in the title or the ref; left out, any case"`
	State string `json:"state,omitempty" jsonschema:"open, waiting or closed; left out, any"`
	App   string `json:"app,omitempty" jsonschema:"the application, as in its tools' names; left out, any"`
	Page  string `json:"page_token,omitempty" jsonschema:"next_page_token of the page before"`
}

type searchOut struct {
	Cases    []caseLine `json:"cases"`
	Searched int        `json:"searched"` // how many were looked at
	Next     string     `json:"next_page_token,omitempty"`
}

// A caseLine is a case in a list.
type caseLine struct {
	ID         string     `json:"id"`
	Ref        string     `json:"ref"`
	App        string     `json:"app"`
	Title      string     `json:"title"`
	State      string     `json:"state"`
	Status     string     `json:"status"`
	WaitingFor string     `json:"waiting_for"`
	DueAt      *time.Time `json:"due_at,omitempty"`
	OpenedAt   time.Time  `json:"opened_at"`
	Link       string     `json:"link"`
}

func (s *Server) caseLine(c casefile.Case) caseLine {
	return caseLine{ID: string(c.ID), Ref: c.Ref, App: c.App, Title: c.Title, State: string(c.State), Status: c.Status,
		WaitingFor: c.WaitingFor,
		DueAt:      utc(c.DueAt), OpenedAt: c.OpenedAt.UTC(), Link: s.caseLink(c.ID)}
}

func (s *Server) caseLink(id casefile.CaseID) string {
	return strings.TrimSuffix(s.PublicURL, "/") + "/cases/" + string(id)
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// searchCases looks through the newest cases for words. It reads a bounded
// number and says how many, so that nobody takes what was found for all there is.
func (s *Server) searchCases(ctx context.Context, a identity.Actor, in searchIn) (searchOut, error) {
	if len([]rune(in.Words)) > longestWords {
		return searchOut{}, fault.New(fault.TooLarge, "a search has at most %d characters", longestWords)
	}
	q := casefile.ListQuery{State: casefile.State(in.State), App: in.App, Limit: casesPerPage}
	if in.Page != "" {
		id, err := casefile.ParseCaseID(in.Page)
		if err != nil {
			return searchOut{}, fault.New(fault.Invalid, "page_token: the list has no page there")
		}
		q.Before = id
	}
	words := strings.Fields(strings.ToLower(in.Words))
	out := searchOut{Cases: []caseLine{}}
	for {
		page, next, err := s.Cases.List(ctx, a.Org, q)
		if err != nil {
			return searchOut{}, err
		}
		for i, c := range page {
			out.Searched++
			if holds(c, words) {
				out.Cases = append(out.Cases, s.caseLine(c))
			}
			if more := i+1 < len(page) || next != ""; more && (len(out.Cases) == casesTold || out.Searched == casesSearched) {
				out.Next = string(c.ID)
				return out, nil
			}
		}
		if next == "" {
			return out, nil
		}
		q.Before = next
	}
}

// holds reports whether all words stand in a case's title or ref.
func holds(c casefile.Case, words []string) bool {
	text := strings.ToLower(c.Title + " " + c.Ref)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

type caseIn struct {
	Case   string `json:"case" jsonschema:"its id, case_…, or its ref"`
	Before int64  `json:"before_note,omitempty" jsonschema:"notes older than this number; left out, the newest"`
}

type caseOut struct {
	Case      caseLine       `json:"case"`
	Version   int64          `json:"version"`
	Notes     []note         `json:"notes"` // newest first
	Proposals []proposalLine `json:"open_proposals"`
}

// A note is one entry of a case's history.
type note struct {
	N    int64     `json:"n"`
	Kind string    `json:"kind"`
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	Text string    `json:"text"`
}

func (s *Server) getCase(ctx context.Context, a identity.Actor, in caseIn) (caseOut, error) {
	c, err := s.Cases.Lookup(ctx, a.Org, in.Case)
	if err != nil {
		return caseOut{}, err
	}
	entries, err := s.Cases.Entries(ctx, a.Org, c.ID, casefile.EntryQuery{Before: in.Before, Limit: notesTold})
	if err != nil {
		return caseOut{}, err
	}
	open := []proposalLine{}
	if s.Rules.May(a, "proposal.read") == nil {
		list, _, err := s.Reviews.List(ctx, a, review.Query{Case: string(c.ID), Limit: proposalsTold})
		if err != nil {
			return caseOut{}, err
		}
		for _, p := range list {
			open = append(open, s.proposalLine(p))
		}
	}
	out := caseOut{Case: s.caseLine(c), Version: c.Version, Notes: []note{}, Proposals: open}
	for _, e := range entries {
		out.Notes = append(out.Notes, note{N: e.Seq, Kind: e.Kind, At: e.At.UTC(), By: e.ActorName, Text: excerpt(e.Text)})
	}
	return out, nil
}

// excerpt is the beginning of a long text.
func excerpt(s string) string {
	if r := []rune(s); len(r) > longestExcerpt {
		return string(r[:longestExcerpt]) + " […]"
	}
	return s
}
