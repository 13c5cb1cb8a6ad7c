package crossing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
)

// ground puts what was found on the case, a piece of evidence for each window, and its numbers as facts: what answers about the case rest
// on. Done again it changes nothing. Where no evidence is kept there is none.
func (m *matter) ground(ctx context.Context) error {
	if m.clerk.store.Kept() == nil {
		return nil
	}
	for _, r := range m.alert.Found.Results {
		if _, err := m.groundOne(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// groundOne is the facts of one window, by the names that words cite them by.
func (m *matter) groundOne(ctx context.Context, r score.Result) (map[string]fact.Fact, error) {
	kept, gavel := m.clerk.store.Kept(), identity.Gavel(m.in.Org)
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	taken, err := kept.Take(ctx, gavel, evidence.Receipt{Source: store.ScoreSource, ContentType: "application/json",
		Once: fmt.Sprintf("%s:%.0f", m.in.Case, r.WindowHours), Place: "score.json"}, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("keep the score of %s: %w", m.file.Ref, err)
	}
	if _, _, err := kept.Put(ctx, gavel, m.in.Case, evidence.Putting{SHA256: taken.SHA256, Side: evidence.For,
		Title: fmt.Sprintf("Score of %.0f hours", r.WindowHours)}); err != nil {
		return nil, fmt.Errorf("put the score on %s: %w", m.file.Ref, err)
	}
	specs := reason.Facts(m.story(r))
	drafts := make([]fact.Fact, len(specs))
	for i, spec := range specs {
		if drafts[i], err = fact.Read(spec.Reading(taken.SHA256.String())); err != nil {
			return nil, err
		}
	}
	recorded, err := kept.Record(ctx, gavel, m.in.Case, drafts...)
	if err != nil {
		return nil, fmt.Errorf("facts of %s: %w", m.file.Ref, err)
	}
	out := map[string]fact.Fact{}
	for i, f := range recorded {
		out[specs[i].Name] = f
	}
	return out, nil
}

func (m *matter) story(r score.Result) reason.Story {
	return reason.Story{District: m.alert.District, LGD: m.alert.LGD, Result: r, Told: m.alert.Found.Told}
}
