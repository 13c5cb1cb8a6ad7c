package rest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// casework registers the programme's cases.
func (s *answers) casework(a *api.API) {
	read := []string{programme.ActRead}
	api.List(a, api.Route{ID: "listVanpoolCases", Path: "/v1/poolpatrol/cases", Acts: read, Tag: apiTag,
		Title: "List the programme's cases, the newest first",
		Text:  "What every case has, of whatever application, is under /v1/cases."}, s.cases)
	api.Serve(a, api.Route{ID: "getVanpoolCase", Method: http.MethodGet, Path: "/v1/poolpatrol/cases/{id}", Acts: read, Tag: apiTag,
		Title: "Read a case of the programme, by its id or its ref",
		Text:  "Whom it is about, what it waits for, what has happened to it and what was written. People are named by their ids."},
		s.oneCase)
}

// A caseRow is a case as lists show it.
type caseRow struct {
	ID           casefile.CaseID     `json:"id"`
	Ref          string              `json:"ref" doc:"What people call it."`
	Vanpool      fleet.VanpoolID     `json:"vanpool_id"`
	State        lifecycle.State     `json:"state" enum:"open,pending_reply,re_audit,hitl_review,pre_cancel,resolved,cancelled"`
	Why          lifecycle.Why       `json:"why" doc:"Before a person: what brought it there."`
	Ending       lifecycle.SubReason `json:"sub_reason" doc:"How it ended."`
	Waiting      store.Waiting       `json:"waiting_on" enum:",rider,programme_manager,records,nobody" doc:"Whom it waits for; empty once it has ended."`
	Overdue      bool                `json:"overdue" doc:"The deadline has passed, or people have been asked for over 72 hours."`
	FailedChecks []string            `json:"failed_checks"`
	People       int                 `json:"people" doc:"How many it is about."`
	OpenedAt     time.Time           `json:"opened_at"`
	Deadline     *time.Time          `json:"deadline_at" doc:"For a reply; null while no clock runs."`
	EndedAt      *time.Time          `json:"ended_at"`
	Links        api.Links           `json:"links"`
}

func (s *answers) caseRow(c store.CaseRow) caseRow {
	return caseRow{ID: c.ID, Ref: c.Ref, Vanpool: c.Vanpool, State: c.State, Why: c.Why, Ending: c.Ending, Waiting: c.Waiting,
		Overdue:      c.Overdue,
		FailedChecks: listed(c.Checks), People: c.People, OpenedAt: c.OpenedAt.UTC(), Deadline: api.UTC(c.Deadline),
		EndedAt: api.UTC(c.EndedAt), Links: api.Links{Page: s.public + "/cases/" + string(c.ID)}}
}

type listCasesInput struct {
	api.Paging
	store.CaseFilter
}

func (s *answers) cases(ctx context.Context, who identity.Actor, in *listCasesInput, after string, limit int) ([]caseRow, string, error) {
	all, next, err := s.store.Cases(ctx, who, in.CaseFilter, after, limit)
	return list.Each(all, s.caseRow), next, err
}

// A caseBody is one case of the programme.
type caseBody struct {
	caseRow

	Previous string        `json:"previous_case" doc:"The ref of the van's case before this one, where it follows from it."`
	ReAudits int           `json:"re_audit_count"`
	Replies  int           `json:"replies" doc:"Mails that people wrote."`
	Unread   int           `json:"unread" doc:"Of them, not read yet."`
	NextAt   *time.Time    `json:"next_at" doc:"When something happens by itself; null while it waits for somebody."`
	Run      string        `json:"run_id" doc:"The newest audit that it rests on."`
	Policy   string        `json:"policy"`
	Terms    int64         `json:"terms_version" doc:"The version of the programme's thresholds and terms that it began with; 0: nobody had set them."`
	Subjects []subjectBody `json:"subjects"`
	Events   []eventBody   `json:"events" doc:"What has happened, the newest first: 200 at most."`
	Letters  []letterBody  `json:"letters" doc:"What was written, the newest first: 200 at most."`

	Outcome  *string               `json:"outcome" enum:"resolved,cancelled" doc:"How it ended; null while it is open."`
	Meta     metaBody              `json:"meta"`
	Outreach []post.OutreachResult `json:"outreach" doc:"What came of each turn of writing to somebody, of those letters and that history."`
}

// A metaBody is what a case is about, in the words of the programme's first system.
type metaBody struct {
	Reason       string     `json:"reason" enum:"shift_mismatch,location_mismatch,unknown" doc:"Of both, the shift; failed_checks has all."`
	Details      string     `json:"details" doc:"Who does not pass which check, by their ids."`
	FailedChecks []string   `json:"failed_checks"`
	OpenedBy     string     `json:"opened_by" doc:"The id of who had the audit begun that found it; Gavel's own where it was time."`
	ReAudits     int        `json:"re_audit_count"`
	Deadline     *time.Time `json:"deadline_at"`
	Policy       string     `json:"policy_version" doc:"Digest of the thresholds."`
}

// detailsOf says who does not pass what. It names people by their ids alone.
func detailsOf(c lifecycle.Case) string {
	var all []string
	for _, f := range c.Van {
		all = append(all, fmt.Sprintf("%s does not pass %s.", c.Vanpool, f.Check))
	}
	for _, x := range c.Subjects {
		if checks := x.FailedChecks(); len(checks) > 0 {
			all = append(all, fmt.Sprintf("%s does not pass %s.", x.Employee, strings.Join(check.Strings(checks), " and ")))
		}
	}
	return strings.Join(all, " ")
}

// outreachOf is what came of writing to the people on a case.
func outreachOf(v store.CaseView) []post.OutreachResult {
	var letters []post.Written
	for _, l := range slices.Backward(v.Letters) {
		letters = append(letters, post.Written{Employee: l.Employee, Kind: post.Kind(l.Kind), Message: l.Message, At: l.QueuedAt})
	}
	var replies []post.Heard
	for _, e := range slices.Backward(v.Events) {
		if e.Kind == lifecycle.Replied {
			replies = append(replies, post.Heard{Employee: e.Employee, Bucket: e.Bucket, At: e.At})
		}
	}
	return post.Outreach(v.Life.ID, letters, replies)
}

// A subjectBody is one rider a case is about.
type subjectBody struct {
	Employee     fleet.EmployeeID    `json:"employee_id"`
	State        lifecycle.Standing  `json:"state" enum:"open,cleared,cancel_pending,cancelled"`
	FailedChecks []check.Name        `json:"failed_checks"`
	Mail         lifecycle.MailState `json:"mail" doc:"What became of the last mail that asked them something."`
	Away         bool                `json:"away" doc:"On leave or days off: no clock runs."`
}

// An eventBody is something that happened to a case.
type eventBody struct {
	At       time.Time           `json:"at"`
	Kind     lifecycle.EventKind `json:"kind"`
	Employee fleet.EmployeeID    `json:"employee_id"`
	Refused  string              `json:"refused" doc:"Why nothing came of it."`
}

// A letterBody is a letter of a case.
type letterBody struct {
	ID       string           `json:"id"`
	Kind     string           `json:"kind"`
	Employee fleet.EmployeeID `json:"employee_id"`
	Thread   string           `json:"thread_id" doc:"As THREAD-A3F8B291: one for each person on a case."`
	Message  string           `json:"message_id" doc:"As MSG-12345678."`
	State    string           `json:"state"`
	QueuedAt time.Time        `json:"queued_at"`
	EndedAt  *time.Time       `json:"ended_at"`
}

type caseOutput struct{ Body caseBody }

func (s *answers) oneCase(ctx context.Context, who identity.Actor, in *api.Named) (*caseOutput, error) {
	v, err := s.store.Case(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	b := caseBody{caseRow: s.caseRow(v.CaseRow), Previous: string(v.Life.Previous), ReAudits: v.Life.ReAudits, Replies: v.Life.Inbound,
		Unread: v.Life.Unread,
		Run:    v.Run, Policy: v.Policy, Terms: v.Terms, Subjects: []subjectBody{}, Events: []eventBody{}, Letters: []letterBody{}}
	if v.State.Ended() {
		ended := string(v.State)
		b.Outcome = &ended
	}
	b.Meta = metaBody{Reason: v.Reason, Details: detailsOf(v.Life), FailedChecks: b.FailedChecks, OpenedBy: v.OpenedBy,
		ReAudits: v.Life.ReAudits, Deadline: b.Deadline, Policy: v.Policy}
	b.Outreach = outreachOf(v)
	if !v.NextAt.IsZero() {
		b.NextAt = api.UTC(&v.NextAt)
	}
	for _, x := range v.Life.Subjects {
		b.Subjects = append(b.Subjects, subjectBody{x.Employee, x.Standing, listed(x.FailedChecks()), x.Mail, x.Away})
	}
	for _, e := range v.Events {
		b.Events = append(b.Events, eventBody{e.At.UTC(), e.Kind, e.Employee, e.Refused})
	}
	for _, l := range v.Letters {
		b.Letters = append(b.Letters, letterBody{l.ID, l.Kind, l.Employee, post.ThreadOf(v.Life.ID, l.Employee), l.Message, l.State,
			l.QueuedAt.UTC(), api.UTC(l.EndedAt)})
	}
	return &caseOutput{b}, nil
}
