package api

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// Retention answers for what is kept how long, and what was erased.
type Retention struct {
	Vault *seal.Vault
	Kept  []postgres.Retention
}

// Operations registers what it answers.
func (s *Retention) Operations(a *API) {
	const tag = "People whose data is held"
	List(a, Route{ID: "listErasures", Path: "/v1/erasures", Acts: []string{"subject.read"}, Tag: tag, Title: "List what was erased",
		Text: "Newest first; the record says all of it."}, s.erasures)
	List(a, Route{ID: "listRetention", Path: "/v1/retention", Acts: []string{"admin.read"}, Tag: tag, Title: "List what is kept how long"},
		s.kept)
}

// An ErasedBody is an erasure that was done.
type ErasedBody struct {
	Subject string         `json:"subject"`
	N       int            `json:"n" doc:"How many times this subject had been erased by then."`
	At      time.Time      `json:"at"`
	Record  audit.RecordID `json:"record"`
}

type listErasuresInput struct{ Paging }

func (s *Retention) erasures(ctx context.Context, who identity.Actor, _ *listErasuresInput, after string,
	limit int) ([]ErasedBody, string, error) {
	all, next, err := s.Vault.Erasures(ctx, who, audit.RecordID(after), limit)
	out := make([]ErasedBody, len(all))
	for i, e := range all {
		out[i] = ErasedBody{Subject: e.Subject, N: e.N, At: e.At.UTC(), Record: e.Record}
	}
	return out, string(next), err
}

// A KeptBody says how long something is kept.
type KeptBody struct {
	What        string                `json:"what"`
	KeepSeconds int64                 `json:"keep_seconds" doc:"0: no time ends it."`
	Ends        postgres.RetentionEnd `json:"ends" doc:"time: it is deleted then. erasure: words about a person go when they are erased. never: it stays."`
}

type listRetentionInput struct{ Paging }

func (s *Retention) kept(context.Context, identity.Actor, *listRetentionInput, string, int) ([]KeptBody, string, error) {
	out := make([]KeptBody, len(s.Kept))
	for i, k := range s.Kept {
		out[i] = KeptBody{What: k.What, KeepSeconds: int64(k.Keep.Seconds()), Ends: k.Ends}
	}
	return out, "", nil
}
