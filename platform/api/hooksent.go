package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/hook"
)

// A WebhookMessageBody is one event for one webhook.
type WebhookMessageBody struct {
	ID       string            `json:"id" doc:"The same however often it is sent: receivers tell repeats by it."`
	Type     string            `json:"type"`
	Subject  string            `json:"subject" doc:"The id of what it is about."`
	At       time.Time         `json:"at"`
	QueuedAt time.Time         `json:"queued_at"`
	State    hook.MessageState `json:"state" enum:"waiting,delivered,failed,dropped"`
	DueAt    *time.Time        `json:"due_at" doc:"Of the next try, while it waits."`
	Attempts int               `json:"attempts"`
	Status   int               `json:"status" doc:"Of the last answer; 0 where there was none."`
	Fault    string            `json:"fault" doc:"Of the last try: inside, name, connect, tls, timeout, broken, redirect, gone, client, server, signing; empty where it was taken."`
	EndedAt  *time.Time        `json:"ended_at"`
}

func webhookMessage(m hook.Message) WebhookMessageBody {
	b := WebhookMessageBody{ID: m.ID, Type: m.Kind, Subject: m.Subject, At: m.At.UTC(), QueuedAt: m.QueuedAt.UTC(), State: m.State,
		Attempts: m.Attempts,
		Status:   m.Status, Fault: m.Fault, EndedAt: UTC(m.EndedAt)}
	if m.State == hook.Waiting {
		b.DueAt = moment(m.DueAt)
	}
	return b
}

// A WebhookAttemptBody is one try to send a message.
type WebhookAttemptBody struct {
	N      int       `json:"n"`
	At     time.Time `json:"at"`
	TookMS int64     `json:"took_ms"`
	Status int       `json:"status"`
	Fault  string    `json:"fault"`
	Answer string    `json:"answer" doc:"The beginning of what was answered; blank once anybody was erased."`
	By     string    `json:"by" doc:"Who asked for it; empty: it was due."`
}

// A WebhookMessageWithTriesBody is a message with every try, the first first.
type WebhookMessageWithTriesBody struct {
	WebhookMessageBody
	Tries []WebhookAttemptBody `json:"tries"`
}

type listWebhookMessagesInput struct {
	Named
	Paging
	State hook.MessageState `query:"state" enum:"waiting,delivered,failed,dropped" doc:"Only those that are so."`
}

func (s *Webhooks) messages(ctx context.Context, who identity.Actor, in *listWebhookMessagesInput, after string,
	limit int) ([]WebhookMessageBody, string, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, "", err
	}
	page, next, err := hooks.Messages(ctx, who, in.ID, in.State, after, limit)
	out := make([]WebhookMessageBody, len(page))
	for i, m := range page {
		out[i] = webhookMessage(m)
	}
	return out, next, err
}

type webhookMessageInput struct {
	Named
	Message string `path:"message" maxLength:"60"`
}

type webhookTriesOutput struct{ Body WebhookMessageWithTriesBody }

func (s *Webhooks) message(ctx context.Context, who identity.Actor, in *webhookMessageInput) (*webhookTriesOutput, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, err
	}
	m, tries, err := hooks.Message(ctx, who, in.ID, in.Message)
	if err != nil {
		return nil, err
	}
	out := &webhookTriesOutput{WebhookMessageWithTriesBody{webhookMessage(m), []WebhookAttemptBody{}}}
	for _, a := range tries {
		out.Body.Tries = append(out.Body.Tries, WebhookAttemptBody{a.N, a.At.UTC(), a.Took.Milliseconds(), a.Status, a.Fault, a.Answer,
			a.By})
	}
	return out, nil
}

type webhookMessageOutput struct {
	Status int
	Body   WebhookMessageBody
}

func (s *Webhooks) test(ctx context.Context, who identity.Actor, in *Named) (*webhookMessageOutput, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, err
	}
	m, err := hooks.Test(ctx, who, in.ID)
	return &webhookMessageOutput{http.StatusAccepted, webhookMessage(m)}, err
}

func (s *Webhooks) resend(ctx context.Context, who identity.Actor, in *webhookMessageInput) (*webhookMessageOutput, error) {
	hooks, err := s.store()
	if err != nil {
		return nil, err
	}
	m, err := hooks.Resend(ctx, who, in.ID, in.Message)
	return &webhookMessageOutput{http.StatusAccepted, webhookMessage(m)}, err
}
