package content

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// A leave is a delegation as a bundle has it: by whose leave somebody decided.
// Ids only: names stand beside the decisions, and go with them; why somebody
// delegated is not the case's.
type leave struct {
	ID        string          `json:"id"`
	From      string          `json:"from"`
	To        string          `json:"to"`
	Roles     []identity.Role `json:"roles"`
	App       string          `json:"app"`  // empty for all
	Kind      string          `json:"kind"` // empty for all
	StartsAt  time.Time       `json:"starts_at"`
	EndsAt    time.Time       `json:"ends_at"`
	MadeAt    time.Time       `json:"made_at"`
	Record    audit.RecordID  `json:"record"`
	EndedAt   *time.Time      `json:"ended_at,omitempty"` // before its time
	EndedBy   string          `json:"ended_by,omitempty"`
	EndRecord audit.RecordID  `json:"end_record,omitempty"`

	giver string // by name
}

// leavesOf reads the delegations that decisions name, with the records of their
// ends. One that is ended while this reads is shown as it was before: the row is
// read first, and without its end its record is not looked for.
func leavesOf(ctx context.Context, tx pgx.Tx, org identity.Org, made []review.Made) ([]leave, error) {
	var ids []string
	for _, m := range made {
		if m.Delegation != "" {
			ids = append(ids, m.Delegation)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	all, err := review.DelegationsOf(ctx, tx, org, slices.Compact(ids)...)
	if err != nil {
		return nil, err
	}
	leaves := make([]leave, len(all))
	for i, g := range all {
		leaves[i] = leave{ID: g.ID, From: g.From, To: g.To, Roles: g.Roles, App: g.App, Kind: g.Kind, StartsAt: g.StartsAt,
			EndsAt: g.EndsAt,
			MadeAt: g.MadeAt, Record: audit.RecordID(g.Record), EndedAt: utc(g.EndedAt), EndedBy: g.EndedBy, giver: g.FromName}
		if g.EndedAt != nil {
			if leaves[i].EndRecord, err = endOf(ctx, tx, g.ID); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(leaves, func(a, b leave) int { return strings.Compare(a.ID, b.ID) }) // whatever the database's order of letters
	return leaves, nil
}

// endOf finds the record of a delegation's end. A delegation has two records at
// most.
func endOf(ctx context.Context, tx pgx.Tx, id string) (audit.RecordID, error) {
	found, _, err := audit.List(ctx, tx, audit.Query{Subject: id, Limit: 10})
	if err != nil {
		return "", err
	}
	for _, one := range found {
		if body, ok := givenIn(one.Record); ok && body.Step == stepEnded {
			return one.ID, nil
		}
	}
	return "", nil // the check will say so
}

func exportLeaves(w *bundle.Writer, leaves []leave) error {
	for _, l := range leaves {
		w.Cite(l.Record)
		if l.EndRecord != "" {
			w.Cite(l.EndRecord)
		}
	}
	return bundle.Lines(w, delegationsFile, leaves)
}

// given is the body of the record of a delegation, as package review writes it.
type given struct {
	App    string          `json:"app"`
	Ends   time.Time       `json:"ends"`
	From   string          `json:"from"`
	Kind   string          `json:"kind"`
	Roles  []identity.Role `json:"roles"`
	Starts time.Time       `json:"starts"`
	Step   string          `json:"step"`
	To     string          `json:"to"`
}

const (
	stepMade  = "made"
	stepEnded = "ended"
)

func givenIn(rec audit.Record) (body given, ok bool) {
	raw, _ := rec.Body.(json.RawMessage)
	return body, rec.Kind == review.KindDelegation && json.Unmarshal(raw, &body) == nil
}
