package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// Proposals answers for what waits for a person, their decisions, and whose turn
// it is.
type Proposals struct {
	Reviews   *review.Store
	PublicURL string
}

// Operations registers what it answers.
func (s *Proposals) Operations(a *API) {
	const tag = "Proposals"
	read, decide := []string{"proposal.read"}, []string{"proposal.decide"}
	List(a, Route{ID: "listProposals", Path: "/v1/proposals", Acts: read, Tag: tag, Title: "List proposals, the most urgent first",
		Text: "Those that are open by the time they expire; others newest first. Without what they show."}, s.list)
	Serve(a, Route{ID: "getProposal", Method: http.MethodGet, Path: "/v1/proposals/{id}", Acts: read, Tag: tag,
		Title: "Read a proposal, with what it shows and who has decided",
		Text:  "Its ETag names what a person has before them: a decision carries it as If-Match.", Fresh: true}, s.get)
	Serve(a, Route{ID: "decideProposal", Method: http.MethodPost, Path: "/v1/proposals/{id}/decisions", Acts: decide, Tag: tag,
		Title: "Decide a proposal",
		Text: "Only a person decides, and only on what they were shown. A legal filing is decided on its grounds, which the proposal " +
			"says and the decision gives back (428 without), " +
			"and approved with a reason. The decision's id is yours, or made from the key: the same one again, for ever, decides once.",
		Status: http.StatusCreated, Key: KeyNeeded, Match: true, Changed: "/v1/proposals/{id}",
		Body: `{"verdict":"approve","reason":"The route was checked."}`}, s.decide)
	Serve(a, Route{ID: "undoProposal", Method: http.MethodPost, Path: "/v1/proposals/{id}/undo", Acts: decide, Tag: tag,
		Title:  "Undo an approval before its act begins",
		Status: http.StatusCreated, Key: KeyNeeded, Match: true, Changed: "/v1/proposals/{id}",
		Body: `{"reason":"Sent to the wrong depot."}`}, s.undo)
	Serve(a, Route{ID: "decideSeveral", Method: http.MethodPost, Path: "/v1/decisions", Acts: decide, Tag: tag,
		Title: "Approve or reject several routine proposals of one kind",
		Text: "Each is decided by itself, whatever becomes of the others: the answer says what became of each. Left out is what the " +
			"person concerned objected to, and what rests on other evidence than when it was read.",
		Key: KeyNeeded, Body: `{"verdict":"approve","items":[{"proposal":"P-881","etag":"\"9c1e0a77b2d4f613-1\""}]}`}, s.decideSeveral)
	s.attention(a)
}

// attention registers what keeps a proposal before the right eyes.
func (s *Proposals) attention(a *API) {
	const tag = "Inbox"
	mine, decide := []string{"inbox.read"}, []string{"proposal.decide"}
	List(a, Route{ID: "listInbox", Path: "/v1/inbox", Acts: mine, Tag: tag,
		Title: "List what needs you, waits for others, is snoozed, or is done"}, s.inbox)
	Serve(a, Route{ID: "countInbox", Method: http.MethodGet, Path: "/v1/inbox/counts", Acts: mine, Tag: tag, Title: "Count your inbox"},
		s.counts)
	Serve(a, Route{ID: "snoozeProposal", Method: http.MethodPost, Path: "/v1/proposals/{id}/snooze", Acts: mine, Tag: tag,
		Title: "Snooze a proposal, for yourself",
		Text:  "A moment that has passed brings it back.", Body: `{"until":"2026-11-17T09:00:00Z"}`}, s.snooze)
	Serve(a, Route{ID: "claimProposal", Method: http.MethodPost, Path: "/v1/proposals/{id}/claim", Acts: decide, Tag: tag,
		Title: "Claim a proposal",
		Text:  "For ten minutes; it keeps nobody from deciding. The answer says who looks: the one who came first.", Status: http.StatusOK},
		s.claim)
	Serve(a, Route{ID: "unclaimProposal", Method: http.MethodDelete, Path: "/v1/proposals/{id}/claim", Acts: decide, Tag: tag,
		Title: "Release a proposal"}, s.unclaim)
	Serve(a, Route{ID: "assignProposal", Method: http.MethodPost, Path: "/v1/proposals/{id}/assignment", Acts: []string{"proposal.assign",
		"proposal.decide"}, Tag: tag, Title: "Reassign a proposal",
		Text: "Somebody who may, and who can open everything it shows. An empty id assigns it to nobody.", Body: `{"to":"p-31"}`}, s.assign)
	Serve(a, Route{ID: "reportOpened", Method: http.MethodPost, Path: "/v1/proposals/{id}/opened", Acts: []string{"proposal.read"},
		Tag: tag, Title: "Report what was open before you, and for how long",
		Text: "It goes into your decision, and is reported for roles, never for persons.", Body: `{"what":"evidence/3","seconds":12}`},
		s.opened)
	List(a, Route{ID: "listDelegations", Path: "/v1/delegations", Acts: mine, Tag: tag, Title: "List delegations, yours and to you"},
		s.delegations)
	Serve(a, Route{ID: "delegate", Method: http.MethodPost, Path: "/v1/delegations", Acts: []string{"delegation.change"}, Tag: tag,
		Title:  "Let somebody decide on your behalf",
		Status: http.StatusCreated, Body: `{"to":"p-31","ends_at":"2026-12-01T00:00:00Z","reason":"On leave."}`}, s.delegate)
	Serve(a, Route{ID: "endDelegation", Method: http.MethodPost, Path: "/v1/delegations/{id}/end", Acts: []string{"delegation.change",
		"person.change"}, Tag: tag, Title: "End a delegation before its time"}, s.endDelegation)
}

// A ProposalBody is a proposal as lists show it.
type ProposalBody struct {
	ID          string           `json:"id"`
	Case        string           `json:"case"`
	App         string           `json:"app"`
	Kind        string           `json:"kind"`
	Tool        string           `json:"tool"`
	Effect      string           `json:"effect" doc:"read, write or outside; empty where approving it does nothing."`
	Class       review.Class     `json:"class" doc:"What approving it leads to: routine, weighty, external_mail or legal_filing."`
	Finding     *finding.Finding `json:"finding" doc:"What was found, and about whom: read it first. Null for a proposal made before findings were kept, and once erased."`
	Run         string           `json:"run"`
	Gate        review.Gate      `json:"gate" enum:"approve,confirm"`
	State       review.State     `json:"state" enum:"open,approved,edited,rejected,sent_back,expired,withdrawn,superseded"`
	RequestedBy string           `json:"requested_by"`
	OnBehalfOf  string           `json:"on_behalf_of"`
	Deciders    []identity.Role  `json:"deciders"`
	Allowed     []review.Verdict `json:"allowed"`
	Required    int              `json:"required" doc:"How many people must approve."`
	AssignedTo  string           `json:"assigned_to"`
	ArgsSHA256  string           `json:"args_sha256"`
	ShownSHA256 string           `json:"shown_sha256"`
	CreatedAt   time.Time        `json:"created_at"`
	DueAt       *time.Time       `json:"due_at"`
	ExpiresAt   *time.Time       `json:"expires_at"`
	EscalateAt  *time.Time       `json:"escalate_at"`
	EndedAt     *time.Time       `json:"ended_at"`
	EndedBy     string           `json:"ended_by" doc:"The decision that ended it."`
	HeldUntil   *time.Time       `json:"held_until" doc:"Until then an approval can be undone."`
	ErasedAt    *time.Time       `json:"erased_at"`
	ETag        string           `json:"etag" doc:"For If-Match."`
	Links       Links            `json:"links"`
}

func (s *Proposals) body(p review.Proposal) ProposalBody {
	b := ProposalBody{ID: p.ID, Case: p.Case, App: p.App, Kind: p.Kind, Tool: p.Tool, Effect: p.Effect, Class: s.Reviews.ClassOf(p),
		Run: p.Run, Gate: p.Gate, State: p.State,
		RequestedBy: p.RequestedBy, OnBehalfOf: p.OnBehalfOf, Deciders: append([]identity.Role{}, p.Deciders...),
		Allowed: append([]review.Verdict{}, p.Allowed...), Required: max(1, p.Required), AssignedTo: p.AssignedTo, ArgsSHA256: p.ArgsSHA256,
		ShownSHA256: p.ShownSHA256, CreatedAt: p.CreatedAt.UTC(), DueAt: moment(p.DueAt), ExpiresAt: moment(p.ExpiresAt),
		EscalateAt: moment(p.EscalateAt), EndedAt: moment(p.EndedAt), EndedBy: p.EndedBy, ErasedAt: moment(p.ErasedAt), ETag: p.ETag(),
		Links: Links{Page: web.ProposalLink(s.PublicURL, p.ID)}}
	if p.State == review.Approved || p.State == review.Edited {
		b.HeldUntil = moment(p.HeldUntil())
	}
	b.Finding = p.Finding()
	return b
}

type listProposalsInput struct {
	Paging
	State   string `query:"state" maxLength:"20" doc:"open if it is left out."`
	Case    string `query:"case" maxLength:"60"`
	App     string `query:"app" maxLength:"40"`
	Mine    bool   `query:"mine" doc:"Only those that you may decide."`
	OrderBy string `query:"order_by" enum:"urgency"`
}

func (s *Proposals) list(ctx context.Context, who identity.Actor, in *listProposalsInput, after string,
	limit int) ([]ProposalBody, string, error) {
	all, next, err := s.Reviews.List(ctx, who, review.Query{State: review.State(in.State), Case: in.Case, App: in.App, Mine: in.Mine,
		After: after, Limit: limit})
	if err != nil {
		return nil, "", err
	}
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i] = p.ID
	}
	found, err := s.Reviews.Findings(ctx, who, ids...)
	out := make([]ProposalBody, len(all))
	for i, p := range all {
		out[i] = s.body(p)
		if f, ok := found[p.ID]; ok {
			out[i].Finding = &f
		}
	}
	return out, next, err
}

// A WholeProposalBody is a proposal with its words.
type WholeProposalBody struct {
	ProposalBody
	Args         Raw            `json:"args" doc:"What would be done; null once erased."`
	Shown        Raw            `json:"shown" doc:"The document a person is shown; null once erased."`
	FinalArgs    Raw            `json:"final_args" doc:"As edited; null unless it was."`
	Edited       []ChangeBody   `json:"edited" doc:"What was changed before it was approved."`
	Grounds      string         `json:"grounds" doc:"What its case rests on now: send it back with your decision. Empty once it has ended."`
	Decisions    []DecisionBody `json:"decisions"`
	Claim        *ClaimBody     `json:"claim" doc:"Who is looking; null for nobody."`
	SnoozedUntil *time.Time     `json:"snoozed_until" doc:"By you."`
	Test         string         `json:"test" doc:"What was wrong with it, where it was there to test that oversight is real. Told after its end only."`
}

// A ChangeBody is one difference between what was proposed and what was approved.
type ChangeBody struct {
	Path   string `json:"path"`
	Before Raw    `json:"before"`
	After  Raw    `json:"after"`
}

// A DecisionBody is a decision on record.
type DecisionBody struct {
	ID       string          `json:"id"`
	Verdict  review.Verdict  `json:"verdict" enum:"approve,edit,send_back,reject,undo"`
	Actor    string          `json:"actor"`
	Name     string          `json:"name"`
	Roles    []identity.Role `json:"roles"`
	InStead  string          `json:"in_stead_of" doc:"Whose right it was, where it was delegated."`
	At       time.Time       `json:"at"`
	Shown    string          `json:"shown_sha256"`
	Args     string          `json:"args_sha256"`
	Reason   string          `json:"reason"`
	Grounds  string          `json:"grounds" doc:"What the case rested on, as the person had read it; empty if they did not say."`
	Record   string          `json:"record" doc:"In the log."`
	ErasedAt *time.Time      `json:"erased_at"`
}

// A ClaimBody says who is looking at a proposal.
type ClaimBody struct {
	By    string    `json:"by"`
	Name  string    `json:"name"`
	Until time.Time `json:"until"`
}

type proposalOutput struct {
	ETag string `header:"ETag"`
	Body WholeProposalBody
}

func (s *Proposals) get(ctx context.Context, who identity.Actor, in *Named) (*proposalOutput, error) {
	p, err := s.Reviews.Get(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	made, err := s.Reviews.Decisions(ctx, who.Org, p.ID)
	if err != nil {
		return nil, err
	}
	grounds, err := s.Reviews.Grounds(ctx, p)
	if err != nil {
		return nil, err
	}
	b := WholeProposalBody{Grounds: grounds, ProposalBody: s.body(p), Args: Raw(p.Args), Shown: Raw(p.Shown), FinalArgs: Raw(p.FinalArgs),
		Edited:    []ChangeBody{},
		Decisions: make([]DecisionBody, len(made)), SnoozedUntil: moment(p.SnoozedUntil)}
	for _, c := range p.Edited() {
		b.Edited = append(b.Edited, ChangeBody{c.Path, Raw(c.Before), Raw(c.After)})
	}
	for i, d := range made {
		b.Decisions[i] = DecisionBody{ID: d.ID, Verdict: d.Verdict, Actor: d.ActorID, Name: d.ActorName, Roles: append([]identity.Role{},
			d.Roles...),
			InStead: d.OnBehalf, At: d.At.UTC(), Shown: d.ShownSHA256, Args: d.ArgsSHA256, Reason: d.Reason, Grounds: d.Grounds,
			Record: d.Record, ErasedAt: UTC(d.ErasedAt)}
	}
	if p.Claim.By != "" {
		b.Claim = &ClaimBody{p.Claim.By, p.Claim.Name, p.Claim.Until}
	}
	if p.Seed != nil {
		b.Test = p.Seed.Truth
	}
	return &proposalOutput{p.ETag(), b}, nil
}
