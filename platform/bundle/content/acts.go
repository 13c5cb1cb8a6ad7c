package content

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
)

const actsFile = "acts.ndjson"

// A done is an act as a bundle has it, in the order they were planned.
type done struct {
	Key          string         `json:"act"`
	Run          string         `json:"run"`
	Call         string         `json:"call"`
	App          string         `json:"app"`
	Tool         string         `json:"tool"`
	Effect       string         `json:"effect"`
	Agent        string         `json:"agent,omitempty"`
	Args         string         `json:"args,omitempty"`
	ArgsSHA256   string         `json:"args_sha256"`
	Proposal     string         `json:"proposal,omitempty"` // by which it was authorised, or
	Record       audit.RecordID `json:"policy_record,omitempty"`
	By           actor          `json:"by"`
	NotBefore    *time.Time     `json:"not_before"`
	PlannedAt    time.Time      `json:"planned_at"`
	State        act.State      `json:"state"`
	Fence        int64          `json:"fence"`
	Result       string         `json:"result,omitempty"`
	ResultSHA256 string         `json:"result_sha256,omitempty"`
	Reason       string         `json:"reason,omitempty"`
	EndedAt      *time.Time     `json:"ended_at"`
	ErasedAt     *time.Time     `json:"erased_at,omitempty"`
}

func (s Sources) exportActs(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
	if err := s.ready(); err != nil {
		return err
	}
	var acts []act.Act
	err := s.DB.InOrg(ctx, req.Org, func(tx pgx.Tx) (err error) {
		acts, err = act.AllOfCase(ctx, tx, req.Org, req.Case)
		return err
	})
	if err != nil {
		return err
	}
	long := newTexts(w)
	lines := make([]done, len(acts))
	for i, a := range acts {
		one := done{Key: a.Key, Run: a.Run, Call: a.Call, App: a.App, Tool: a.Tool, Effect: a.Effect, Agent: a.Agent,
			ArgsSHA256: a.ArgsSHA256,
			Proposal:   a.Proposal, Record: audit.RecordID(a.Policy), By: actor{Kind: a.ByKind, ID: a.ByID}, NotBefore: utc(a.NotBefore),
			PlannedAt: a.PlannedAt.UTC(), State: a.State, Fence: a.Fence, ResultSHA256: a.ResultSHA256, Reason: a.Reason,
			EndedAt: utc(a.EndedAt), ErasedAt: utc(a.ErasedAt)}
		if one.Args, err = long.put(a.Args, a.ArgsSHA256); err != nil {
			return err
		}
		if one.Result, err = long.put(a.Result, a.ResultSHA256); err != nil {
			return err
		}
		if a.Policy != "" {
			w.Cite(one.Record)
		}
		lines[i] = one
	}
	return bundle.Lines(w, actsFile, lines)
}

// An actStep is the body of the record of an act, as package act writes it.
type actStep struct {
	Key          string         `json:"act"`
	ArgsSHA256   string         `json:"args_sha256"`
	Decision     string         `json:"decision"`
	Effect       string         `json:"effect"`
	Fence        int64          `json:"fence"`
	Record       audit.RecordID `json:"policy_record"`
	Proposal     string         `json:"proposal"`
	ResultSHA256 string         `json:"result_sha256"`
	Step         act.State      `json:"step"`
	Tool         string         `json:"tool"`
}
