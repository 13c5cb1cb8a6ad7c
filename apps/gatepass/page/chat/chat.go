// Package chat is where people talk with the agent of gate passes: what was said, what the agent did, what waits for their word, and where
// they write. It works without script; with it the page moves by itself and shows an answer while it is written.
package chat

import (
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/gatepass/casework/mind"
	"github.com/gavelhq/gavel/apps/gatepass/casework/talk"
	"github.com/gavelhq/gavel/apps/gatepass/page/frame"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// Pages are the pages of conversations.
type Pages struct {
	*frame.Frame

	talk *talk.Desk
}

// New makes them.
func New(f *frame.Frame, d *talk.Desk) *Pages { return &Pages{Frame: f, talk: d} }

// maxPhoto is the most that a photo and the form around it may have, in bytes.
const maxPhoto = 17 << 20

// Routes registers them.
func (g *Pages) Routes(m *web.Mux) {
	talks := web.Needs(store.ActTalk)
	m.Handle("GET "+frame.ChatAt, g.page, talks)
	m.Handle("GET "+frame.ChatAt+"/now", g.now, talks)
	m.Handle("POST "+frame.ChatAt+"/say", g.say, talks, web.MaxBody(frame.MaxSmallForm))
	m.Handle("POST "+frame.ChatAt+"/cards", g.press, talks, web.MaxBody(frame.MaxSmallForm))
	m.Handle("POST "+frame.ChatAt+"/photo", g.handIn, talks, web.MaxBody(maxPhoto))
	m.Handle("POST "+frame.ChatAt+"/stop", g.stop, talks, web.MaxBody(frame.MaxSmallForm))
	m.Handle("POST "+frame.ChatAt+"/end", g.end, talks, web.MaxBody(frame.MaxSmallForm))
}

// A view is a conversation, or where one begins.
type view struct {
	talk.View

	begun   bool
	roles   []pass.Role // that this reader may talk in
	words   string      // as they were typed; kept where they could not be sent
	photo   string      // an id, handed in and not yet spoken of
	refused error
}

// read is somebody's conversation, in the one role they have it in.
func (g *Pages) read(r *http.Request, v view) (*web.Page, view, error) {
	p := g.Page(r, "gp.talk_title")
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return p, v, err
	}
	v.View, err = g.talk.Show(r.Context(), actor)
	v.begun = err == nil
	if fault.Is(err, fault.NotFound) {
		err = nil
	}
	v.roles = rolesOf(actor)
	return p, v, err
}

// rolesOf are the roles in which somebody may talk.
func rolesOf(who identity.Actor) (all []pass.Role) {
	for _, r := range pass.Roles() {
		if _, err := talk.Ours(who, r); err == nil {
			all = append(all, r)
		}
	}
	return all
}

func (g *Pages) page(w http.ResponseWriter, r *http.Request) error {
	return g.show(w, r, http.StatusOK, view{photo: photoIn(r.URL.Query().Get("photo"))})
}

func (g *Pages) show(w http.ResponseWriter, r *http.Request, status int, v view) error {
	p, v, err := g.read(r, v)
	if err != nil {
		return err
	}
	return g.Site.Render(w, r, status, p, screen(p, v))
}

// now is what was said and what waits alone, when a notice says that the conversation moved.
func (g *Pages) now(w http.ResponseWriter, r *http.Request) error {
	p, v, err := g.read(r, view{})
	if err != nil {
		return err
	}
	return g.Site.Region(w, r, p, v.region(p))
}

func (v view) region(p *web.Page) web.Region {
	return web.Region{ID: "talk", Object: v.Run, Src: frame.ChatAt + "/now", Announce: true, Body: talkBody(p, v)}
}

// say sends what somebody wrote, with the photo that they handed in for it.
func (g *Pages) say(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	v := view{words: strings.TrimSpace(r.PostForm.Get("words")), photo: photoIn(r.PostForm.Get("photo"))}
	m := talk.Message{Role: pass.Role(r.PostForm.Get("role")), Lang: string(g.Site.Page(r).Lang), Words: v.words,
		Once: r.PostForm.Get("once")}
	if v.photo != "" {
		m.Words = strings.TrimSpace(m.Words + " " + v.photo)
	}
	_, err = g.talk.Say(r.Context(), actor, m)
	return g.after(w, r, err, v)
}

// press is the button below the cards: it is about those that are ticked.
func (g *Pages) press(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	cards := r.PostForm["card"]
	if len(cards) == 0 {
		err = fault.New(fault.Invalid, "no card is ticked").Because("talk_no_card")
	}
	for _, one := range cards {
		proposal, shown, _ := strings.Cut(one, " ")
		if err = g.talk.Press(r.Context(), actor, proposal, shown, r.PostForm.Get("answer") == "confirm"); err != nil {
			break // those before it are done, and the page shows which
		}
	}
	return g.after(w, r, err, view{})
}

// handIn keeps a photo; what is said of it comes with the next message.
func (g *Pages) handIn(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	name, file, err := photoOf(r)
	if err != nil {
		return g.after(w, r, err, view{})
	}
	p, err := g.talk.Attach(r.Context(), actor, name, file)
	if err != nil {
		return g.after(w, r, err, view{})
	}
	http.Redirect(w, r, g.Site.Page(r).Href(web.Address(frame.ChatAt, "photo", p.ID)+"#say"), http.StatusSeeOther)
	return nil
}

// photoOf is the file of a form.
func photoOf(r *http.Request) (name string, file []byte, err error) {
	bad := func(err error) error {
		return fault.From(fault.Invalid, err, "no photo came with the form").Because("talk_no_photo")
	}
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		return "", nil, bad(err)
	}
	parts := multipart.NewReader(r.Body, params["boundary"])
	for {
		part, err := parts.NextPart()
		if err != nil {
			return "", nil, bad(err)
		}
		if part.FormName() != "photo" || part.FileName() == "" {
			continue
		}
		file, err = io.ReadAll(part)
		if err != nil {
			return "", nil, bad(err)
		}
		return part.FileName(), file, nil
	}
}

// stop stops the answer that is being written.
func (g *Pages) stop(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	return g.after(w, r, g.talk.Stop(r.Context(), actor), view{})
}

func (g *Pages) end(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	return g.after(w, r, g.talk.Reset(r.Context(), actor), view{})
}

// after leads back to the conversation, or says there why something was not done.
func (g *Pages) after(w http.ResponseWriter, r *http.Request, err error, v view) error {
	if err == nil {
		http.Redirect(w, r, g.Site.Page(r).Href(frame.ChatAt+"#say"), http.StatusSeeOther)
		return nil
	}
	if !frame.Mends(err) {
		return err
	}
	v.refused = err
	return g.show(w, r, web.Status(fault.KindOf(err)), v)
}

// photoIn is the id of a photo, and nothing else.
func photoIn(s string) string {
	if !strings.HasPrefix(s, "att_") || len(s) > 40 || strings.ContainsFunc(s[4:], func(r rune) bool {
		return !unicode.IsLower(r) && !unicode.IsDigit(r)
	}) {
		return ""
	}
	return s
}

// did says what a call is, as a sentence begins.
func did(p *web.Page, tool string) string {
	s := p.Word("tool.", tool)
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// looks is the badge of a call's state: its class and its icon.
func looks(state string) (class, icon string) {
	switch state {
	case "done":
		return "ok", "check"
	case "failed", "refused":
		return "bad", "stop"
	case "waiting":
		return "warn", "clock"
	case "running":
		return "info", "dot"
	}
	return "plain", "slash"
}

// wordsOf are words of a finding in the reader's language.
func wordsOf(p *web.Page, w finding.Words) string { return w.In(string(p.Lang)) }

// inCard is how many lines of a result a card shows.
const inCard = 10

// passesOf are the passes that a call answered with, as far as its card shows them.
func passesOf(t *mind.Told) []mind.PassLine { return t.Passes[:min(len(t.Passes), inCard)] }

// noticesOf are its notices.
func noticesOf(t *mind.Told) []mind.NoticeLine { return t.Notices[:min(len(t.Notices), inCard)] }
