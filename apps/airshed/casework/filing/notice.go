package filing

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/docket"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/tool"
)

// toolNotice sends a notice to a state that a report names.
const toolNotice = "send_state_notice"

// kindNotice is what such a mail is, for who sets wishes by it.
const kindNotice = "state_notice"

// noticeArgs ask for a notice to be sent. Its words are the report's and are not
// edited: they rest on the same facts.
type noticeArgs struct {
	State    caseSaid  `json:"state"`
	ReportID caseSaid  `json:"report_id"`
	Office   caseSaid  `json:"office"`
	Address  caseSaid  `json:"address"`
	Language caseSaid  `json:"language"`
	Subject  caseSaid  `json:"subject"`
	Body     caseSaid  `json:"body"`
	Attempt  attemptNo `json:"attempt"`
}

// noticed is what became of it.
type noticed struct {
	Mail string `json:"mail"`
}

func (c *Clerk) noticeTool() tool.Tool {
	officers := []identity.Role{identity.Officer}
	return tool.Finds(tool.Binds(tool.Writes(tool.Tool{App: store.Name, Name: toolNotice,
		Line: "Send a state that a filed report names a notice, on the same facts.", Effect: tool.Write, Gate: tool.Approve,
		Roles: officers, Deciders: officers, EscalateTo: officers, Class: tool.ExternalMail, RemindAfter: 12 * time.Hour,
		EscalateAfter: 48 * time.Hour, ExpireAfter: 7 * 24 * time.Hour}, c.sendNotice), c.bindNotice), c.findNotice)
}

// A telling is a state that is to be told, and what became of asking people.
type telling struct {
	notice report.Notice
	office store.Office
	asked  docket.Asked
}

// tellings are the states that a filed report names and whose office is known.
func (m *matter) tellings(ctx context.Context) (all []telling, err error) {
	err = m.clerk.store.In(ctx, m.in.Org, func(tx pgx.Tx) error {
		all, err = m.tellingsIn(ctx, tx)
		return err
	})
	return all, err
}

func (m *matter) tellingsIn(ctx context.Context, tx pgx.Tx) ([]telling, error) {
	if m.clerk.post == nil {
		return nil, nil
	}
	d, err := store.DraftN(ctx, tx, m.in.Case, m.filing.N)
	if err != nil {
		return nil, err
	}
	known, err := store.OfficesIn(ctx, tx)
	if err != nil || d == nil {
		return nil, err
	}
	r, err := m.clerk.reportOf(ctx, m.in.Org, *d)
	if err != nil {
		return nil, err
	}
	return m.match(r, known)
}

// match pairs the notices of a report with the offices they go to, each in the
// office's language.
func (m *matter) match(r report.Report, known []store.Office) (all []telling, err error) {
	for _, o := range known {
		notices, err := r.NoticesIn(report.Lang(o.Language))
		if err != nil {
			return nil, err
		}
		for _, n := range notices {
			if n.State != o.State {
				continue
			}
			t := telling{notice: n, office: o}
			for _, q := range m.requests {
				if q.tool == toolNotice && q.about == n.State {
					t.asked = q.became()
					if q.attempt < m.attempt && t.asked.CameToNothing() {
						t.asked = docket.NotAsked // somebody wants it before people again
					}
					break
				}
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// askNotices puts notices before people, each behind a gate of its own.
func (m *matter) askNotices(ctx context.Context) error {
	for _, t := range m.told {
		if t.asked != docket.NotAsked {
			continue
		}
		args, err := json.Marshal(m.noticeOf(t))
		if err != nil {
			return err
		}
		if _, err := m.clerk.calls.Take(ctx, identity.Gavel(m.in.Org), agent.Call{App: store.Name, Tool: toolNotice, Args: args,
			Case: string(m.in.Case), Via: store.Name}); err != nil {
			return fmt.Errorf("ask about a notice to %s: %w", t.notice.State, err)
		}
	}
	return m.note(ctx, fmt.Sprintf("notices:%d", m.attempt), "air_notices", "Notices to the states the report names are before people.",
		casefile.Change{State: casefile.Waiting, Status: "filed", WaitingFor: "an officer"})
}

// sendNotice sends a notice that was approved, to the office that was, unless the case
// was closed meanwhile.
func (c *Clerk) sendNotice(ctx context.Context, tx pgx.Tx, e tool.Env, in noticeArgs) (noticed, error) {
	file, err := casefile.Lock(ctx, tx, casefile.CaseID(e.Case))
	if err != nil {
		return noticed{}, err
	}
	if file.State == casefile.Closed || file.Status == casefile.StatusClosing {
		return noticed{}, fault.New(fault.Conflict, "the case was closed: nobody is told")
	}
	one, err := store.OfficeOf(ctx, tx, e.Org, string(in.State))
	switch {
	case err != nil:
		return noticed{}, err
	case one == nil || one.Name != string(in.Office) || one.Mailbox != string(in.Address) || one.Language != string(in.Language):
		return noticed{}, fault.New(fault.Conflict, "the office of %s is not the one that was approved", in.State).
			WithNext("gavel airshed office list")
	case c.post == nil:
		return noticed{}, fault.New(fault.Unavailable, "no mail goes out from here")
	}
	o := *one
	id := strings.ToLower(strings.ReplaceAll(o.State, " ", "-"))
	if e.Proposal == "" {
		return noticed{}, fault.New(fault.Refused, "nobody has approved this")
	}
	mail, err := c.post.Queue(ctx, tx, identity.Gavel(e.Org), notify.Letter{Key: store.Name + ":" + e.Key, Case: file.ID, Kind: kindNotice,
		To: seal.Subject{Type: "state_office", ID: id}, Address: o.Mailbox, Name: o.Name,
		Thread: string(file.ID) + "/" + id, Language: o.Language, Subject: string(in.Subject), Text: string(in.Body), Because: e.Proposal})
	if err != nil {
		return noticed{}, err
	}
	return noticed{mail.ID}, c.cases.Rouse(ctx, tx, file)
}
