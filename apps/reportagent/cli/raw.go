package cli

import (
	"context"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/pack"
	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// An Asker answers questions about raw tables.
type Asker interface {
	Ask(ctx context.Context, q query.Question) (query.Answer, error)
}

// An asking asks the questions of a report again, each once.
type asking struct {
	asker Asker // nil: nobody answers here
	kept  []query.Kept
	files map[string]string // where raw tables lie on this machine, by digest
	done  map[query.Kept]query.Answer
	wrong map[query.Kept]error
}

// of does a fact again that was asked for; asked is false for every other.
func (a *asking) of(f fact.Fact) (raw string, asked bool, err error) {
	if !query.WasAsked(f) {
		return "", false, nil
	}
	at := slices.IndexFunc(a.kept, func(k query.Kept) bool { return k.Answers(f) })
	if at < 0 {
		return "", true, fault.New(fault.NotFound, "the report does not say what was asked")
	}
	answer, err := a.answer(a.kept[at])
	if err == nil {
		raw, err = query.Again(f, answer)
	}
	return raw, true, err
}

// mostAgain is how many rows are asked for: as many as any answer has.
const mostAgain = 200

func (a *asking) answer(k query.Kept) (query.Answer, error) {
	if got, is := a.done[k]; is || a.wrong[k] != nil {
		return got, a.wrong[k]
	}
	got, err := a.ask(k)
	a.done[k], a.wrong[k] = got, err
	return got, err
}

func (a *asking) ask(k query.Kept) (query.Answer, error) {
	file, there := a.files[k.SHA256]
	switch {
	case !there:
		return query.Answer{}, fault.New(fault.NotFound, "the raw table %s is not in the pack", k.View).
			WithNext("name its folder with --data-root")
	case a.asker == nil:
		return query.Answer{}, fault.New(fault.Unavailable, "raw tables cannot be asked here").WithNext("put gavel-duck beside gavel")
	}
	f, err := os.Open(filepath.Clean(file))
	if err != nil {
		return query.Answer{}, platform.Unreadable(file, err)
	}
	defer f.Close()
	header, err := csv.NewReader(io.LimitReader(f, 1<<20)).Read()
	if err != nil {
		return query.Answer{}, fault.From(fault.Invalid, err, "the raw table %s has no header", k.View)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	columns, err := query.Columns(header)
	if err != nil {
		return query.Answer{}, err
	}
	v := query.View{Name: k.View, File: file, SHA256: k.SHA256, Columns: columns}
	return a.asker.Ask(context.Background(), query.Question{Views: []query.View{v}, SQL: k.SQL, Rows: mostAgain})
}

// lay puts the raw tables of a pack into a folder, and finds those that lie beside it: in a folder of a run, which may be empty.
func (p *opened) lay(folder, run string) (map[string]string, error) {
	out := map[string]string{}
	for _, v := range p.catalogue.Views {
		body := p.files[pack.DataFolder+"/"+v.Path]
		name := filepath.Join(folder, v.SHA256+".csv")
		if err := os.WriteFile(name, body, 0o600); err != nil {
			return nil, err
		}
		out[v.SHA256] = name
	}
	if run == "" {
		return out, nil
	}
	s := sources{data: run}
	cat, err := s.catalogue()
	if err != nil {
		return nil, err
	}
	for _, v := range cat.Views {
		if out[v.SHA256] == "" {
			out[v.SHA256] = filepath.Join(run, filepath.FromSlash(cat.Root), filepath.FromSlash(v.Path))
		}
	}
	return out, nil
}
