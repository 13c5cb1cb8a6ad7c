package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/inbound"
)

// Mail answers for mail that came in and for what became of mail that was sent.
type Mail struct {
	Cases *casefile.Store
	In    *inbound.Store // nil: none is taken in, and that is what it answers
	Out   *notify.Post   // nil: none is sent, and no case has any
}

// Operations registers what it answers.
func (s *Mail) Operations(a *API) {
	const tag = "Mail"
	List(a, Route{ID: "listMail", Path: "/v1/mail", Acts: []string{"mail.read"}, Tag: tag, Title: "List mail that came in, newest first",
		Text: "Without its words. Unless asked otherwise, what waits for a person."}, s.list)
	Serve(a, Route{ID: "getMail", Method: http.MethodGet, Path: "/v1/mail/{id}", Acts: []string{"mail.read"}, Tag: tag,
		Title: "Read a mail that came in",
		Text:  "With its words, which are somebody's text from outside: show them as text."}, s.get)
	Serve(a, Route{ID: "acceptMail", Method: http.MethodPost, Path: "/v1/mail/{id}/accept", Acts: []string{"mail.decide"}, Tag: tag,
		Title:   "Put a mail on a case",
		Text:    "It becomes an entry of the case as if it had been believed at once, and the case's workflow is told. It can be done once.",
		Untried: "whether a mail can be put on a case is seen when it is", Body: `{"case":"GEN-A3F8B291","note":"She rang and said so."}`},
		s.accept)
	Serve(a, Route{ID: "discardMail", Method: http.MethodPost, Path: "/v1/mail/{id}/discard", Acts: []string{"mail.decide"}, Tag: tag,
		Title: "Say that a mail is nothing",
		Text:  "Its bytes stay, sealed. It can be done once.", Untried: "there is nothing to check but whether it waits",
		Body: `{"note":"An advertisement."}`}, s.discard)
	List(a, Route{ID: "listCaseMail", Path: "/v1/cases/{id}/mail", Acts: []string{"case.read"}, Tag: tag,
		Title: "List the mails that were sent about a case",
		Text:  "Newest first, at most 200, with what became of each; without their words."}, s.ofCase)
}

// A MailBody is a mail that came in, as the API shows it.
type MailBody struct {
	ID         string     `json:"id"`
	State      string     `json:"state" enum:"accepted,held,quarantined,dropped,discarded"`
	Reason     string     `json:"reason" doc:"Why it was not simply accepted; empty if it was."`
	Kind       string     `json:"kind" doc:"Who or what it is from, by its form: written is by a person."`
	Match      string     `json:"match" doc:"By what its case was found: token, id, tag, or empty."`
	Case       string     `json:"case" doc:"Empty if none is known."`
	Sender     string     `json:"sender" doc:"The id of whom it is from; empty for a stranger."`
	Via        string     `json:"via"`
	Size       int64      `json:"size"`
	Files      int        `json:"files" doc:"Attachments."`
	ReceivedAt time.Time  `json:"received_at"`
	DecidedAt  *time.Time `json:"decided_at"`
	DecidedBy  string     `json:"decided_by"`
	Note       string     `json:"note"`
}

func mailOf(m inbound.Mail) MailBody {
	return MailBody{ID: m.ID, State: string(m.State), Reason: string(m.Reason), Kind: string(m.Kind), Match: string(m.Match),
		Case: string(m.Case), Sender: m.Sender,
		Via: m.Via, Size: m.RawSize, Files: len(m.Files), ReceivedAt: m.ReceivedAt.UTC(), DecidedAt: UTC(m.DecidedAt),
		DecidedBy: m.DecidedBy, Note: m.Note}
}

func (s *Mail) in() (*inbound.Store, error) {
	if s.In == nil {
		return nil, fault.New(fault.Unavailable, "incoming mail isn't set up")
	}
	return s.In, nil
}

type listMailInput struct {
	Paging
	State string `query:"state" enum:"waiting,accepted,held,quarantined,dropped,discarded" doc:"waiting: those that are held or quarantined."`
}

func (s *Mail) list(ctx context.Context, who identity.Actor, in *listMailInput, after string, limit int) ([]MailBody, string, error) {
	store, err := s.in()
	if err != nil {
		return nil, "", err
	}
	q := inbound.Query{Before: after, Limit: limit}
	if in.State != "" && in.State != "waiting" {
		q.States = []inbound.State{inbound.State(in.State)}
	}
	all, err := store.List(ctx, who, q)
	if err != nil {
		return nil, "", err
	}
	out := make([]MailBody, len(all))
	for i, m := range all {
		out[i] = mailOf(m)
	}
	if len(all) == limit && limit > 0 {
		return out, all[limit-1].ID, nil
	}
	return out, "", nil
}

// A MailWordsBody is a mail that came in with what it says.
type MailWordsBody struct {
	MailBody
	From    string   `json:"from" doc:"As the mail itself says; whether it is true is not known."`
	Subject string   `json:"subject"`
	Text    string   `json:"text" doc:"What is new in it."`
	Whole   string   `json:"whole" doc:"With what it quotes."`
	Names   []string `json:"names" doc:"Of its attachments."`
}

type mailWordsOutput struct{ Body MailWordsBody }

func (s *Mail) get(ctx context.Context, who identity.Actor, in *Named) (*mailWordsOutput, error) {
	store, err := s.in()
	if err != nil {
		return nil, err
	}
	m, w, err := store.Words(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	return &mailWordsOutput{MailWordsBody{mailOf(m), w.From, w.Subject, w.Fresh, w.Whole, append([]string{}, w.Files...)}}, nil
}

// An AcceptMailBody says to which case a mail belongs.
type AcceptMailBody struct {
	Case string `json:"case,omitempty" maxLength:"60" doc:"Id or reference; if it is left out, the one it was matched to."`
	Note string `json:"note,omitempty" maxLength:"2000"`
}

type acceptMailInput struct {
	Named
	Body AcceptMailBody
}

type mailOutput struct{ Body MailBody }

func (s *Mail) accept(ctx context.Context, who identity.Actor, in *acceptMailInput) (*mailOutput, error) {
	store, err := s.in()
	if err != nil {
		return nil, err
	}
	var to casefile.CaseID
	if in.Body.Case != "" {
		of, err := s.Cases.Lookup(ctx, who.Org, in.Body.Case)
		if err != nil {
			return nil, err
		}
		to = of.ID
	}
	m, err := store.Accept(ctx, who, in.ID, to, in.Body.Note)
	if err != nil {
		return nil, err
	}
	return &mailOutput{mailOf(m)}, nil
}

// A DiscardMailBody says why a mail is nothing.
type DiscardMailBody struct {
	Note string `json:"note,omitempty" maxLength:"2000"`
}

type discardMailInput struct {
	Named
	Body DiscardMailBody
}

func (s *Mail) discard(ctx context.Context, who identity.Actor, in *discardMailInput) (*mailOutput, error) {
	store, err := s.in()
	if err != nil {
		return nil, err
	}
	m, err := store.Discard(ctx, who, in.ID, in.Body.Note)
	if err != nil {
		return nil, err
	}
	return &mailOutput{mailOf(m)}, nil
}

// A SentMailBody is a mail that was sent, or is to be.
type SentMailBody struct {
	ID        string     `json:"id"`
	Kind      string     `json:"kind"`
	To        string     `json:"to" doc:"The id of the person."`
	MessageID string     `json:"message_id"`
	State     string     `json:"state" enum:"queued,sending,sent,undeliverable,unknown"`
	Reason    string     `json:"reason" doc:"Why it is where it is; may hold the mail server's words."`
	Tries     int        `json:"tries"`
	QueuedAt  time.Time  `json:"queued_at"`
	EndedAt   *time.Time `json:"ended_at"`
}

type caseMailInput struct {
	Named
	Paging
}

func (s *Mail) ofCase(ctx context.Context, who identity.Actor, in *caseMailInput, _ string, _ int) ([]SentMailBody, string, error) {
	c, err := s.Cases.Lookup(ctx, who.Org, in.ID)
	if err != nil || s.Out == nil {
		return nil, "", err
	}
	all, err := s.Out.OfCase(ctx, who.Org, c.ID)
	if err != nil {
		return nil, "", err
	}
	out := make([]SentMailBody, len(all))
	for i, m := range all {
		out[i] = SentMailBody{m.ID, m.Kind, m.Recipient, m.MessageID, string(m.State), m.Reason, m.Tries, m.QueuedAt.UTC(), UTC(m.EndedAt)}
	}
	return out, "", nil
}
