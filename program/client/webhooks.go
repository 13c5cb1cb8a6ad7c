package client

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Webhook is a server that is told what happens.
type Webhook struct {
	ID         string     `json:"id"`
	Title      string     `json:"title"`
	URL        string     `json:"url"`
	Kinds      []string   `json:"kinds"`
	State      string     `json:"state"`
	Reason     string     `json:"reason"`
	LastOKAt   *time.Time `json:"last_ok_at"`
	Waiting    int64      `json:"waiting"`
	GivenUp    int64      `json:"given_up"`
	OldUntil   *time.Time `json:"old_secret_until"`
	Secret     string     `json:"secret"`
	OwnerID    string     `json:"owner"`
	LastFailAt *time.Time `json:"last_fail_at"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the bytes beside the fields.
func (w *Webhook) UnmarshalJSON(data []byte) error {
	type fields Webhook
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*w = Webhook(f)
	w.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the webhook as the server sent it.
func (w Webhook) MarshalJSON() ([]byte, error) { return w.Raw, nil }

// A WebhookMessage is one event for one webhook.
type WebhookMessage struct {
	ID       string     `json:"id"`
	Type     string     `json:"type"`
	Subject  string     `json:"subject"`
	State    string     `json:"state"`
	QueuedAt *time.Time `json:"queued_at"`
	DueAt    *time.Time `json:"due_at"`
	Attempts int        `json:"attempts"`
	Status   int        `json:"status"`
	Fault    string     `json:"fault"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the bytes beside the fields.
func (m *WebhookMessage) UnmarshalJSON(data []byte) error {
	type fields WebhookMessage
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*m = WebhookMessage(f)
	m.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the message as the server sent it.
func (m WebhookMessage) MarshalJSON() ([]byte, error) { return m.Raw, nil }

// A NewWebhook asks for one.
type NewWebhook struct {
	URL    string   `json:"url"`
	Title  string   `json:"title"`
	Kinds  []string `json:"kinds"`
	Reason string   `json:"reason"`
}

var (
	webhookForm = regexp.MustCompile(`^hook_[0-9A-HJKMNP-TV-Z]{26}$`)
	messageForm = regexp.MustCompile(`^msg_[0-9A-HJKMNP-TV-Z]{26}$`)
)

func checkWebhook(id string) error {
	if webhookForm.MatchString(id) {
		return nil
	}
	return fault.New(fault.Invalid, "%.60q is no webhook; one looks like hook_01K5ZJ3W8Q6X9V2T4N7M1B0CDE", id).
		WithNext("gavel webhook list")
}

// Webhooks lists which servers are told what happens.
func (c *Client) Webhooks(ctx context.Context) (page Page[Webhook], err error) {
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"webhooks"}}, &page)
	return page, err
}

// AddWebhook registers one; the answer holds its secret, this once.
func (c *Client) AddWebhook(ctx context.Context, n NewWebhook) (w Webhook, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"webhooks"}, body: n}, &w)
	return w, err
}

// ChangeWebhookSecret makes a new secret; the one before signs for some hours more.
func (c *Client) ChangeWebhookSecret(ctx context.Context, id string, hours int, reason string) (w Webhook, err error) {
	body := struct {
		Hours  int    `json:"hours"`
		Reason string `json:"reason"`
	}{hours, reason}
	return c.webhookDo(ctx, id, "secrets", body)
}

// DisableWebhook stops sending to one.
func (c *Client) DisableWebhook(ctx context.Context, id, reason string) (Webhook, error) {
	return c.webhookDo(ctx, id, "disable", struct {
		Reason string `json:"reason"`
	}{reason})
}

// EnableWebhook sends again; missed is what becomes of what happened meanwhile,
// "skip" or "send".
func (c *Client) EnableWebhook(ctx context.Context, id, reason, missed string) (Webhook, error) {
	return c.webhookDo(ctx, id, "enable", struct {
		Reason string `json:"reason"`
		Missed string `json:"missed"`
	}{reason, missed})
}

func (c *Client) webhookDo(ctx context.Context, id, what string, body any) (w Webhook, err error) {
	if err := checkWebhook(id); err != nil {
		return w, err
	}
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"webhooks", id, what}, body: body}, &w)
	return w, err
}

// RemoveWebhook takes one away.
func (c *Client) RemoveWebhook(ctx context.Context, id string) error {
	if err := checkWebhook(id); err != nil {
		return err
	}
	_, err := c.do(ctx, request{method: http.MethodDelete, path: []string{"webhooks", id}}, nil)
	return err
}

// TestWebhook sends a message that is about nothing. The key makes it one however
// often it is sent.
func (c *Client) TestWebhook(ctx context.Context, key, id string) (m WebhookMessage, err error) {
	if err := checkWebhook(id); err != nil {
		return m, err
	}
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"webhooks", id, "tests"}, once: key}, &m)
	return m, err
}

// ResendWebhookMessage sends a message once more, under its own id.
func (c *Client) ResendWebhookMessage(ctx context.Context, key, id, message string) (m WebhookMessage, err error) {
	if err := checkWebhook(id); err != nil {
		return m, err
	}
	if !messageForm.MatchString(message) {
		return m, fault.New(fault.Invalid, "%.60q is no message; one looks like msg_01K5ZJ3W8Q6X9V2T4N7M1B0CDE", message).
			WithNext("gavel webhook messages %s", id)
	}
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"webhooks", id, "messages", message, "resend"}, once: key}, &m)
	return m, err
}

// WebhookMessages lists what was sent to a webhook, or is to be; an empty state
// lists all.
func (c *Client) WebhookMessages(ctx context.Context, id, state string, size int, pageToken string) (page Page[WebhookMessage], err error) {
	if err := checkWebhook(id); err != nil {
		return page, err
	}
	q := asQuery(map[string]string{"state": state, "page_token": pageToken}, size)
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"webhooks", id, "messages"}, query: q}, &page)
	return page, err
}

// SuggestWebhooks names webhooks.
func SuggestWebhooks(ctx context.Context, c *Client) ([]Suggestion, error) {
	page, err := c.Webhooks(ctx)
	return each(page.Items, func(w Webhook) Suggestion { return Suggestion{w.ID, w.Title} }), err
}
