package review

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Bounds of a proposal.
const (
	maxArgs     = 256 << 10
	maxShown    = 1 << 20
	maxWake     = 12 << 10
	maxMakers   = 50
	maxDeciders = 20
	maxRequired = 9
	maxKey      = 400 // as keyForm has it
)

var (
	kindForm = regexp.MustCompile(`^[a-z][a-z0-9_]{1,39}$`)
	appForm  = regexp.MustCompile(`^[a-z]{2,20}$`)
	toolForm = regexp.MustCompile(`^([a-z][a-z0-9_]{0,63})?$`)
	keyForm  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,399}$`)
)

// propose takes the next number of the organisation, unless the key is there.
// The last conflict is with somebody who proposed the same at the same moment:
// the update changes nothing and returns the row that this statement's snapshot
// does not show; the number is then lost.
const propose = `
	with old as (
		select id, args_sha256, state from gavel.proposal where org = $1 and key = $7
	), next as (
		insert into gavel.proposal_number as c (org, last) select $1, 1 where not exists (select from old)
		on conflict (org) do update set last = c.last + 1 returning last
	), added as (
		insert into gavel.proposal as p (org, id, n, case_id, kind, app, tool, effect, key, run, call, gate, args, args_sha256,
			shown, shown_sha256, requested_by, on_behalf_of, makers, deciders, allowed, required, policy_record,
			expires_at, undo, wake, created_at, due_at, remind_at, escalate_at, escalate_to, assigned_to, truth, seed_nonce, line)
		select $1, 'P-' || last, last, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
			coalesce($22::timestamptz, 'infinity'), make_interval(secs => $23), $24, $25, $26, $27, $28, $29, $30, $31, $32, $33
		from next
		on conflict (org, key) do update set state = p.state
		returning id, args_sha256, state
	)
	select id, args_sha256, state from added union all select id, args_sha256, state from old`

// ProposeLater adds a proposal to the batch of a transaction that acts for its
// organisation. Its ID and State are set when the batch's results are closed,
// which is how they have to be read: `tx.SendBatch(ctx, b).Close()`. The same key
// again is the proposal that is there; with other arguments it fails the batch.
//
// Numbers have no gaps to speak of, so whoever takes one waits for the
// organisation's last taker to commit: proposals come late in a batch.
func ProposeLater(b *pgx.Batch, p *Proposal) error {
	if strings.Contains(p.Key, seedMark) {
		return fault.New(fault.Invalid, "proposal %.60s: no key holds a %s", p.Key, seedMark)
	}
	return proposeLater(b, p, Seed{})
}

func proposeLater(b *pgx.Batch, p *Proposal, seed Seed) error {
	if p.Required == 0 {
		p.Required = 1
	}
	if len(p.Allowed) == 0 {
		p.Allowed = []Verdict{Approve, Edit, SendBack, Reject}
	}
	if err := p.check(); err != nil {
		return err
	}
	wake, err := json.Marshal(p.Wake)
	if err == nil && len(wake) > maxWake {
		err = fault.New(fault.TooLarge, "whom to tell takes %d bytes; the most is %d", len(wake), maxWake)
	}
	if err != nil {
		return fmt.Errorf("propose %s: %w", p.Key, err)
	}
	p.CreatedAt = p.CreatedAt.UTC().Truncate(time.Microsecond)
	b.Queue(propose, string(p.Org), p.Case, p.Kind, p.App, p.Tool, p.Effect, p.Key, p.Run, p.Call, string(p.Gate),
		string(p.Args), p.ArgsSHA256, string(p.Shown), p.ShownSHA256, p.RequestedBy, p.OnBehalfOf, texts(p.Makers),
		texts(p.Deciders), texts(p.Allowed), p.Required, p.PolicyRecord, moment(p.ExpiresAt), p.Undo.Seconds(), string(wake), p.CreatedAt,
		moment(p.DueAt), moment(p.RemindAt), moment(p.EscalateAt), texts(p.EscalateTo), p.AssignedTo,
		orNull(seed.Truth), orNull(seed.Nonce), p.line(),
	).QueryRow(func(row pgx.Row) error {
		var digest string
		if err := row.Scan(&p.ID, &digest, &p.State); err != nil {
			return fmt.Errorf("propose %s: %w", p.Key, err)
		}
		if digest != p.ArgsSHA256 {
			return fault.New(fault.Conflict, "the key %s is that of %s, which proposes something else", p.Key, p.ID)
		}
		return nil
	})
	return nil
}

// texts is a list as the driver takes it: never null, and of plain strings.
func texts[T ~string](in []T) []string {
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = string(v)
	}
	return out
}

// moment is a time as the driver takes it: null for one that never comes.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Microsecond)
	return &t
}

// maxLine bounds what a list shows of a proposal, in characters.
const maxLine = 300

// line is what a list shows and a search finds of a proposal: whom it is about and what
// was found, or the line of its document where that has no finding.
func (p *Proposal) line() string {
	var doc struct {
		Line string `json:"line"`
	}
	if json.Unmarshal(p.Shown, &doc) != nil {
		return ""
	}
	if f := p.Finding(); f != nil {
		doc.Line = f.First("en")
	}
	line := []rune(strings.ToValidUTF8(doc.Line, ""))
	return string(line[:min(len(line), maxLine)])
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (p *Proposal) check() error {
	if err := p.checkNames(); err != nil {
		return err
	}
	if err := p.checkGate(); err != nil {
		return err
	}
	if err := p.checkAttention(); err != nil {
		return err
	}
	switch {
	case len(p.Args) > maxArgs || len(p.Shown) > maxShown:
		return fault.New(fault.TooLarge, "proposal %.60s: %d bytes of arguments and %d to show; the most is %d and %d",
			p.Key, len(p.Args), len(p.Shown), maxArgs, maxShown)
	case !json.Valid(p.Args) || act.Digest(p.Args) != p.ArgsSHA256:
		return fault.New(fault.Invalid, "proposal %.60s: its arguments are not those of the digest", p.Key)
	case !json.Valid(p.Shown) || act.Digest(p.Shown) != p.ShownSHA256:
		return fault.New(fault.Invalid, "proposal %.60s: what is shown is not that of the digest", p.Key)
	case strings.Contains(string(p.Args), `\u0000`) || strings.Contains(string(p.Shown), `\u0000`):
		return fault.New(fault.Invalid, "proposal %.60s: holds a character that cannot be stored", p.Key)
	case p.CreatedAt.IsZero():
		return fault.New(fault.Invalid, "proposal %.60s: says never when it was made", p.Key)
	case !p.ExpiresAt.IsZero() && !p.ExpiresAt.After(p.CreatedAt):
		return fault.New(fault.Invalid, "proposal %.60s: expires before it is made", p.Key)
	case p.Undo < 0:
		return fault.New(fault.Invalid, "proposal %.60s: an undo window is not negative", p.Key)
	}
	return nil
}

func (p *Proposal) checkNames() error {
	if _, err := identity.ParseOrg(string(p.Org)); err != nil {
		return err
	}
	switch {
	case !keyForm.MatchString(p.Key):
		return fault.New(fault.Invalid, "a proposal's key is 1 to 400 of letters, digits and . _ : / @ -, not %.60q", p.Key)
	case !kindForm.MatchString(p.Kind) || !appForm.MatchString(p.App) || !toolForm.MatchString(p.Tool):
		return fault.New(fault.Invalid, "proposal %.60s: kind %.40q, application %.40q or tool %.40q is malformed", p.Key, p.Kind, p.App,
			p.Tool)
	case (p.Tool == "") != (p.Effect == ""), p.Tool != "" && !slices.Contains([]string{act.Read, act.Write, act.Outside}, p.Effect):
		return fault.New(fault.Invalid, "proposal %.60s: the effect of tool %.40q is not %.20q", p.Key, p.Tool, p.Effect)
	case p.Wake.WorkflowID != "" && !ofOrg(p.Wake.WorkflowID, p.Org):
		return fault.New(fault.Invalid, "proposal %.60s: workflow %.80q is not of organisation %s", p.Key, p.Wake.WorkflowID, p.Org)
	}
	return nil
}

// ofOrg reports whether a workflow's id, <app>/<org>/<key>, is the organisation's.
func ofOrg(workflowID string, org identity.Org) bool {
	parts := strings.SplitN(workflowID, "/", 3)
	return len(parts) == 3 && parts[1] == string(org)
}

// checkGate refuses a proposal that nobody could decide, or that anybody could.
func (p *Proposal) checkGate() error {
	verdicts := []Verdict{Approve, Edit, SendBack, Reject}
	switch {
	case p.RequestedBy == "":
		return fault.New(fault.Invalid, "proposal %.60s: nobody asks for it", p.Key)
	case p.Gate != ByAnother && p.Gate != ByOneself:
		return fault.New(fault.Invalid, "proposal %.60s: a gate is approve or confirm, not %.20q", p.Key, p.Gate)
	case p.Gate == ByAnother && (len(p.Deciders) == 0 || len(p.Deciders) > maxDeciders):
		return fault.New(fault.Invalid, "proposal %.60s: 1 to %d roles may decide, not %d", p.Key, maxDeciders, len(p.Deciders))
	case p.Gate == ByOneself && (p.OnBehalfOf == "" || p.Required != 1):
		return fault.New(fault.Invalid, "proposal %.60s: one person confirms, and it is not said who", p.Key)
	case p.Required < 1 || p.Required > maxRequired || len(p.Makers) > maxMakers:
		return fault.New(fault.Invalid, "proposal %.60s: needs %d approvals and has %d makers; the most is %d and %d",
			p.Key, p.Required, len(p.Makers), maxRequired, maxMakers)
	case slices.ContainsFunc(p.Allowed, func(v Verdict) bool { return !slices.Contains(verdicts, v) }):
		return fault.New(fault.Invalid, "proposal %.60s: allows %q, which is nothing a person could answer", p.Key, p.Allowed)
	}
	return nil
}

// checkAttention refuses reminders and escalations that could not happen, and an
// assignment to somebody who may not decide.
func (p *Proposal) checkAttention() error {
	late := func(t time.Time) bool {
		return !t.IsZero() && (!t.After(p.CreatedAt) || !p.ExpiresAt.IsZero() && !t.Before(p.ExpiresAt))
	}
	switch {
	case late(p.RemindAt) || late(p.EscalateAt):
		return fault.New(fault.Invalid, "proposal %.60s: reminds or escalates before it is made or after it has expired", p.Key)
	case p.EscalateAt.IsZero() != (len(p.EscalateTo) == 0):
		return fault.New(fault.Invalid, "proposal %.60s: escalates to nobody, or never", p.Key)
	case p.Gate == ByOneself && (len(p.EscalateTo) > 0 || p.AssignedTo != ""):
		return fault.New(fault.Invalid, "proposal %.60s: is confirmed by one person, and goes to nobody else", p.Key)
	case len(p.Deciders)+len(p.EscalateTo) > maxDeciders:
		return fault.New(fault.Invalid, "proposal %.60s: over %d roles could decide in the end", p.Key, maxDeciders)
	case p.AssignedTo != "" && p.barred(p.AssignedTo):
		return fault.New(fault.Invalid, "proposal %.60s: is assigned to who asked for it or made the thing", p.Key)
	}
	return nil
}
