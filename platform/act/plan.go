package act

import (
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
)

// PlanLater adds an act and its record to the batch of the transaction that
// authorises it, which acts for org. The database refuses the row, and with it
// the whole transaction, unless its proposal is approved with these very
// arguments, or its policy record is in the log; so the batch has those before
// it. The same key again adds no second act, whatever its arguments: Begin
// compares the digest.
func PlanLater(b *pgx.Batch, org identity.Org, p Plan) error {
	if err := p.check(); err != nil {
		return err
	}
	const insert = `
		insert into gavel.act (org, key, case_id, run, call, app, tool, effect, agent, args, args_sha256,
			proposal, policy_record, by_kind, by_id, not_before, planned_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, nullif($12, ''), nullif($13, ''), $14, $15, $16, $17)
		on conflict (org, key) do nothing`
	at := p.At.UTC().Truncate(time.Microsecond)
	var notBefore *time.Time
	if !p.NotBefore.IsZero() {
		t := p.NotBefore.UTC()
		notBefore = &t
	}
	b.Queue(insert, string(org), p.Key, p.Case, p.Run, p.Call, p.App, p.Tool, p.Effect, p.Agent, string(p.Args), p.ArgsSHA256,
		p.Proposal, p.PolicyRecord, string(p.By.Kind), p.By.ID, notBefore, at)
	by := p.By
	by.Org = org
	_, err := audit.AppendLater(b, audit.Record{At: at, Kind: audit.Act, App: p.App, Actor: by, Subject: p.Case, Body: step{
		Key: p.Key, Step: Planned, Tool: p.Tool, Effect: p.Effect, ArgsSHA256: p.ArgsSHA256, Proposal: p.Proposal, Policy: p.PolicyRecord}})
	if err != nil {
		return fmt.Errorf("record of act %s: %w", p.Key, err)
	}
	return nil
}

// A step is what the log says of an act: ids and digests. Its members stand in
// canonical order, which spares the log the work of ordering them.
type step struct {
	Key          string `json:"act"`
	ArgsSHA256   string `json:"args_sha256,omitempty"`
	Decision     string `json:"decision,omitempty"`
	Effect       string `json:"effect,omitempty"`
	Fence        int64  `json:"fence,omitempty"`
	Policy       string `json:"policy_record,omitempty"`
	Proposal     string `json:"proposal,omitempty"`
	ResultSHA256 string `json:"result_sha256,omitempty"`
	Step         State  `json:"step"`
	Tool         string `json:"tool,omitempty"`
}

// stepOf is what the log says when an act has reached its present state.
func stepOf(a Act) step {
	return step{Key: a.Key, Step: a.State, Tool: a.Tool, Effect: a.Effect, ArgsSHA256: a.ArgsSHA256,
		Proposal: a.Proposal, Policy: a.Policy, Fence: a.Fence, ResultSHA256: a.ResultSHA256}
}

// record is the log's entry about an act that Gavel carried on by itself.
func record(a Act, at time.Time, body step) audit.Record {
	return audit.Record{At: at, Kind: audit.Act, App: a.App, Actor: identity.Gavel(a.Org), Subject: a.Case, Body: body}
}
