package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/notify/webhook"
)

// Webhooks answers for which servers are told what happens. Nil Hooks answer that
// they are not set up.
type Webhooks struct {
	Hooks *hook.Store
	May   func(identity.Actor, string) error // an address may hold a secret: only who may change it is told all of it
}

// Operations registers what it answers.
func (s *Webhooks) Operations(a *API) {
	const tag = "Webhooks"
	read, change := []string{"webhook.read"}, []string{"webhook.change"}
	secret := "it would make a secret that signs nothing"
	List(a, Route{ID: "listWebhooks", Path: "/v1/webhooks", Acts: read, Tag: tag, Title: "List which servers are told what happens"},
		s.list)
	Serve(a, Route{ID: "registerWebhook", Method: http.MethodPost, Path: "/v1/webhooks", Acts: change, Tag: tag,
		Title: "Have a server told what happens",
		Text: "From now on a message is sent for each record of these kinds: its type, the time and the id of what it is about, signed " +
			"as Standard Webhooks asks. " +
			"The secret is told this once. The address begins with https:// and leads to nothing inside.",
		Status: http.StatusCreated, Key: KeyRefused, Untried: secret,
		Body: `{"url":"https://example.org/hooks/gavel","title":"The register","kinds":["case","decision"],"reason":"The register must follow."}`}, s.register)
	Serve(a, Route{ID: "getWebhook", Method: http.MethodGet, Path: "/v1/webhooks/{id}", Acts: read, Tag: tag, Title: "Read a webhook"},
		s.get)
	Serve(a, Route{ID: "changeWebhook", Method: http.MethodPost, Path: "/v1/webhooks/{id}/change", Acts: change, Tag: tag,
		Title: "Change where a webhook leads and what it is told of",
		Match: true, Changed: "/v1/webhooks/{id}",
		Body: `{"url":"https://example.org/hooks/new","title":"The register","kinds":["decision"],"reason":"It moved."}`}, s.change)
	Serve(a, Route{ID: "removeWebhook", Method: http.MethodDelete, Path: "/v1/webhooks/{id}", Acts: change, Tag: tag,
		Title: "Remove a webhook, with its messages"}, s.remove)
	Serve(a, Route{ID: "changeWebhookSecret", Method: http.MethodPost, Path: "/v1/webhooks/{id}/secrets", Acts: change, Tag: tag,
		Title: "Make a new secret",
		Text: "It is told this once. The one before signs beside it for some hours more, and nothing older does; after a leak ask for " +
			"none.",
		Status: http.StatusCreated, Key: KeyRefused, Untried: secret, Body: `{"hours":24,"reason":"It is changed every year."}`}, s.rotate)
	Serve(a, Route{ID: "disableWebhook", Method: http.MethodPost, Path: "/v1/webhooks/{id}/disable", Acts: change, Tag: tag,
		Title: "Stop sending to a webhook",
		Body:  `{"reason":"The server is being moved."}`}, s.disable)
	Serve(a, Route{ID: "enableWebhook", Method: http.MethodPost, Path: "/v1/webhooks/{id}/enable", Acts: change, Tag: tag,
		Title: "Send to a webhook again",
		Body:  `{"reason":"The server is back.","missed":"skip"}`}, s.enable)
	Serve(a, Route{ID: "testWebhook", Method: http.MethodPost, Path: "/v1/webhooks/{id}/tests", Acts: change, Tag: tag,
		Title:  "Send a message that is about nothing",
		Text:   "It is signed as every other, tried once, and also while the webhook is off. Read the message to see what came of it.",
		Status: http.StatusAccepted, Key: KeyNeeded}, s.test)
	List(a, Route{ID: "listWebhookMessages", Path: "/v1/webhooks/{id}/messages", Acts: read, Tag: tag,
		Title: "List what was sent to a webhook, or is to be",
		Text:  "Newest first. Those that came to an end are kept for thirty days."}, s.messages)
	Serve(a, Route{ID: "getWebhookMessage", Method: http.MethodGet, Path: "/v1/webhooks/{id}/messages/{message}", Acts: read, Tag: tag,
		Title: "Read a message with every try"}, s.message)
	Serve(a, Route{ID: "resendWebhookMessage", Method: http.MethodPost, Path: "/v1/webhooks/{id}/messages/{message}/resend", Acts: change,
		Tag: tag, Title: "Send a message again",
		Text: "Once, now, under the same id, also while the webhook is off.", Status: http.StatusAccepted, Key: KeyNeeded}, s.resend)
}

// A WebhookBody is a webhook as the API shows it.
type WebhookBody struct {
	ID             string     `json:"id"`
	Title          string     `json:"title"`
	URL            string     `json:"url" doc:"Its path may be a secret: who may not change it sees the host alone."`
	Kinds          []string   `json:"kinds"`
	State          hook.State `json:"state" enum:"on,off,failed" doc:"failed: it took nothing for three days, or said that it is gone."`
	Reason         string     `json:"reason" doc:"Of the last change; of one that failed, what was wrong."`
	Owner          string     `json:"owner" doc:"Who registered it, and is told when it fails."`
	MadeAt         time.Time  `json:"made_at"`
	ChangedAt      time.Time  `json:"changed_at"`
	LastOKAt       *time.Time `json:"last_ok_at"`
	LastFailAt     *time.Time `json:"last_fail_at"`
	Waiting        int64      `json:"waiting" doc:"Messages on their way."`
	GivenUp        int64      `json:"given_up" doc:"Messages that were never taken."`
	OldSecretUntil *time.Time `json:"old_secret_until" doc:"Until when the secret before this one signs as well."`
	Version        int64      `json:"version"`
	Secret         string     `json:"secret,omitempty" doc:"Only when it is made."`
}

func (s *Webhooks) body(who identity.Actor, w hook.Webhook) WebhookBody {
	b := WebhookBody{ID: w.ID, Title: w.Title, URL: w.URL, Kinds: w.Kinds, State: w.State, Reason: w.Reason, Owner: w.Owner,
		MadeAt: w.MadeAt.UTC(), ChangedAt: w.ChangedAt.UTC(),
		LastOKAt: UTC(w.LastOKAt), LastFailAt: UTC(w.LastFailAt), Waiting: w.Waiting, GivenUp: w.Broken, OldSecretUntil: UTC(w.OldUntil),
		Version: w.Version}
	if s.May == nil || s.May(who, "webhook.change") != nil {
		b.URL = w.Shown()
	}
	return b
}

func (s *Webhooks) store() (*hook.Store, error) {
	if s.Hooks == nil {
		return nil, fault.New(fault.Unavailable, "webhooks are not set up on this server")
	}
	return s.Hooks, nil
}

type listWebhooksInput struct {
	Paging
	State hook.State `query:"state" enum:"on,off,failed" doc:"Only those that are so."`
}

// list comes all at once: there are hook.MaxHooks at most.
func (s *Webhooks) list(ctx context.Context, who identity.Actor, in *listWebhooksInput, _ string, _ int) ([]WebhookBody, string, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, "", err
	}
	all, err := hooks.List(ctx, who)
	out := []WebhookBody{}
	for _, w := range all {
		if in.State == "" || w.State == in.State {
			out = append(out, s.body(who, w))
		}
	}
	return out, "", err
}

type webhookOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Body   WebhookBody
}

func (s *Webhooks) output(who identity.Actor, status int, w hook.Webhook, secret webhook.Secret, err error) (*webhookOutput, error) {
	if err != nil {
		return nil, err
	}
	out := &webhookOutput{status, etag(w.Version), s.body(who, w)}
	if status == http.StatusCreated {
		out.Body.Secret = secret.Reveal()
	}
	return out, nil
}

func (s *Webhooks) get(ctx context.Context, who identity.Actor, in *Named) (*webhookOutput, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, err
	}
	w, err := hooks.Get(ctx, who, in.ID)
	return s.output(who, http.StatusOK, w, webhook.Secret{}, err)
}

// A WebhookDraftBody says where a webhook leads and what it is told of.
type WebhookDraftBody struct {
	URL    string   `json:"url" maxLength:"2000"`
	Title  string   `json:"title" maxLength:"120" doc:"What people call it."`
	Kinds  []string `json:"kinds" minItems:"1" maxItems:"40" doc:"Kinds of record: case, evidence, facts, snapshot, proposal, decision, act, attention, delegation, concern_link, objection, run_order, run_end, removal, refusal, export, erasure, legal_hold, token, policy_set."`
	Reason string   `json:"reason"`
}

func (b WebhookDraftBody) draft() hook.Draft {
	return hook.Draft{URL: b.URL, Title: b.Title, Kinds: b.Kinds, Reason: b.Reason}
}

type registerWebhookInput struct{ Body WebhookDraftBody }

func (s *Webhooks) register(ctx context.Context, who identity.Actor, in *registerWebhookInput) (*webhookOutput, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, err
	}
	w, secret, err := hooks.Register(ctx, who, in.Body.draft())
	return s.output(who, http.StatusCreated, w, secret, err)
}

type changeWebhookInput struct {
	Named
	IfMatch string `header:"If-Match"`
	Body    WebhookDraftBody
}

func (s *Webhooks) change(ctx context.Context, who identity.Actor, in *changeWebhookInput) (*webhookOutput, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, err
	}
	seen, err := parseVersion(in.IfMatch)
	if err != nil {
		return nil, err
	}
	w, err := hooks.Change(ctx, who, in.ID, seen, in.Body.draft())
	return s.output(who, http.StatusOK, w, webhook.Secret{}, err)
}

func (s *Webhooks) remove(ctx context.Context, who identity.Actor, in *Named) (*Empty, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, err
	}
	return &Empty{}, hooks.Remove(ctx, who, in.ID)
}

type rotateWebhookInput struct {
	Named
	Body NewSecretBody
}

// A NewSecretBody asks for a new secret.
type NewSecretBody struct {
	Hours  int    `json:"hours" minimum:"0" maximum:"24" doc:"How long the one before signs as well; 0 after a leak."`
	Reason string `json:"reason"`
}

func (s *Webhooks) rotate(ctx context.Context, who identity.Actor, in *rotateWebhookInput) (*webhookOutput, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, err
	}
	w, secret, err := hooks.Rotate(ctx, who, in.ID, time.Duration(in.Body.Hours)*time.Hour, in.Body.Reason)
	return s.output(who, http.StatusCreated, w, secret, err)
}

type disableWebhookInput struct {
	Named
	Body ReasonBody
}

func (s *Webhooks) disable(ctx context.Context, who identity.Actor, in *disableWebhookInput) (*webhookOutput, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, err
	}
	w, err := hooks.Disable(ctx, who, in.ID, in.Body.Reason)
	return s.output(who, http.StatusOK, w, webhook.Secret{}, err)
}

type enableWebhookInput struct {
	Named
	Body EnableWebhookBody
}

// An EnableWebhookBody says what becomes of what happened meanwhile.
type EnableWebhookBody struct {
	Reason string      `json:"reason"`
	Missed hook.Missed `json:"missed,omitempty" enum:"skip,send" doc:"What becomes of what happened while it was off; skip if it is left out."`
}

func (s *Webhooks) enable(ctx context.Context, who identity.Actor, in *enableWebhookInput) (*webhookOutput, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, err
	}
	missed := in.Body.Missed
	if missed == "" {
		missed = hook.SkipMissed
	}
	w, err := hooks.Enable(ctx, who, in.ID, in.Body.Reason, missed)
	return s.output(who, http.StatusOK, w, webhook.Secret{}, err)
}
