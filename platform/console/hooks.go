package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

const hooksPath = "/admin/webhooks"

// hookAddress is the page of a webhook, or what lies under it.
func hookAddress(id, under string) string { return hooksPath + "/" + id + under }

// hookRoutes registers the pages of webhooks and their acts.
func (c *Console) hookRoutes(m *web.Mux) {
	m.Handle("GET "+hooksPath, c.hooks, web.Needs("webhook.read"))
	m.Handle("GET "+hooksPath+"/{id}", c.hook, web.Needs("webhook.read"))
	m.Handle("GET "+hooksPath+"/{id}/messages", c.hookMessages, web.Needs("webhook.read"))
	m.Handle("GET "+hooksPath+"/{id}/messages/{message}", c.hookMessage, web.Needs("webhook.read"))
	for path, act := range map[string]func(http.ResponseWriter, *http.Request) error{
		"": c.hookRegister, "/{id}/change": c.hookChange, "/{id}/secrets": c.hookRotate, "/{id}/state": c.hookSwitch,
		"/{id}/tests": c.hookTest, "/{id}/remove": c.hookRemove, "/{id}/messages/{message}/resend": c.hookResend,
	} {
		m.Handle("POST "+hooksPath+path, act, web.Needs("webhook.change"), web.MaxBody(maxForm))
	}
}

// A hooksView is all webhooks, and the form for one more.
type hooksView struct {
	all   []hook.Webhook
	names map[string]string // of their owners
	typed hookForm
	fault error
	done  string
}

// A hookForm is what a form held that was refused.
type hookForm struct {
	what, url, title, reason string
	kinds                    []string
}

func readHookForm(r *http.Request, what string) hookForm {
	return hookForm{what, strings.TrimSpace(r.PostForm.Get("url")), r.PostForm.Get("title"), r.PostForm.Get("reason"), r.PostForm["kind"]}
}

func (f hookForm) draft() hook.Draft {
	return hook.Draft{URL: f.url, Title: f.title, Kinds: f.kinds, Reason: f.reason}
}

// hookReader is who asks, where webhooks are set up.
func (c *Console) hookReader(r *http.Request) (identity.Actor, error) {
	actor, err := signin.Require(r.Context())
	if err == nil && c.Setup.Hooks == nil {
		err = fault.New(fault.Unavailable, "webhooks are not set up on this server").Because("not_set_up")
	}
	return actor, err
}

// hooks is the page of all webhooks.
func (c *Console) hooks(w http.ResponseWriter, r *http.Request) error {
	v := hooksView{typed: hookForm{kinds: []string{"case", "decision"}}}
	if r.URL.Query().Get("done") == "removed" {
		v.done = "removed"
	}
	return c.showHooks(w, r, http.StatusOK, v)
}

func (c *Console) showHooks(w http.ResponseWriter, r *http.Request, status int, v hooksView) error {
	actor, err := c.hookReader(r)
	if err != nil {
		return err
	}
	if v.all, err = c.Setup.Hooks.List(r.Context(), actor); err != nil {
		return err
	}
	v.names = map[string]string{}
	for _, one := range v.all {
		v.names[one.Owner] = c.nameOf(r.Context(), actor.Org, one.Owner)
	}
	p := c.adminPage(r, "webhook.title")
	return c.site.Render(w, r, status, p, hooksBody(p, v))
}

// A hookView is one webhook with what was sent to it.
type hookView struct {
	hook.Webhook
	owner    string
	messages []hook.Message
	state    hook.MessageState // that the messages are narrowed to
	before   string
	next     string
	secret   string // shown this once
	typed    hookForm
	fault    error
	done     string
}

// messagesPerPage is how many messages stand on a page.
const messagesPerPage = 25

// hook is the page of one webhook.
func (c *Console) hook(w http.ResponseWriter, r *http.Request) error {
	v := hookView{}
	if done := r.URL.Query().Get("done"); slices.Contains(hookDone(), done) {
		v.done = done
	}
	return c.showHook(w, r, http.StatusOK, r.PathValue("id"), v)
}

// hookDone are what can have been done, as the page says it afterwards.
func hookDone() []string {
	return []string{"changed", "disabled", "enabled", "tested", "resent"}
}

func (c *Console) showHook(w http.ResponseWriter, r *http.Request, status int, id string, v hookView) error {
	if err := c.readHook(r, id, &v); err != nil {
		return err
	}
	p := c.adminPage(r, "webhook.title")
	p.Title = v.Title
	if v.secret != "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	return c.site.Render(w, r, status, p, hookBody(p, v))
}

// readHook fills a view with the webhook and a page of its messages.
func (c *Console) readHook(r *http.Request, id string, v *hookView) error {
	actor, err := c.hookReader(r)
	if err != nil {
		return err
	}
	if v.Webhook, err = c.Setup.Hooks.Get(r.Context(), actor, id); err != nil {
		return err
	}
	v.owner = c.nameOf(r.Context(), actor.Org, v.Owner)
	if r.Method == http.MethodGet {
		q := r.URL.Query()
		v.before = q.Get("before")
		if state := hook.MessageState(q.Get("state")); slices.Contains(messageStates(), state) {
			v.state = state
		}
	}
	v.messages, v.next, err = c.Setup.Hooks.Messages(r.Context(), actor, id, v.state, v.before, messagesPerPage)
	return err
}

func messageStates() []hook.MessageState {
	return []hook.MessageState{hook.Waiting, hook.Delivered, hook.GivenUp, hook.Dropped}
}

// hookMessages is the region of what was sent, which moves by itself.
func (c *Console) hookMessages(w http.ResponseWriter, r *http.Request) error {
	var v hookView
	if err := c.readHook(r, r.PathValue("id"), &v); err != nil {
		return err
	}
	p := c.adminPage(r, "webhook.title")
	return c.site.Region(w, r, p, v.region(p))
}

func (v hookView) region(p *web.Page) web.Region {
	return web.Region{ID: "webhook-messages", Object: v.ID, Src: v.address("/messages"), Body: hookMessagesBody(p, v)}
}

// address is of something under the webhook, with the messages narrowed as they
// are.
func (v hookView) address(under string) string {
	at := hookAddress(v.ID, under)
	sep := "?"
	for _, q := range [][2]string{{"state", string(v.state)}, {"before", v.before}} {
		if q[1] != "" {
			at, sep = at+sep+q[0]+"="+q[1], "&"
		}
	}
	return at
}

// A messageView is one message with every try.
type messageView struct {
	hook.Message
	of    hook.Webhook
	tries []hook.Attempt
	names map[string]string
}

// hookMessage is the page of one message.
func (c *Console) hookMessage(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.hookReader(r)
	if err != nil {
		return err
	}
	v := messageView{names: map[string]string{}}
	if v.of, err = c.Setup.Hooks.Get(r.Context(), actor, r.PathValue("id")); err != nil {
		return err
	}
	if v.Message, v.tries, err = c.Setup.Hooks.Message(r.Context(), actor, v.of.ID, r.PathValue("message")); err != nil {
		return err
	}
	for _, t := range v.tries {
		if t.By != "" {
			v.names[t.By] = c.nameOf(r.Context(), actor.Org, t.By)
		}
	}
	p := c.adminPage(r, "webhook.title")
	p.Title = p.T("webhook.message_of", "type", p.Word("record.kind.", v.Kind))
	return c.site.Render(w, r, http.StatusOK, p, hookMessageBody(p, v))
}
