package page

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// startDraft has sections drafted: all, one, or those that newer data changed. The form names the drafting its page knew as the newest:
// sent twice, it is one drafting.
func (g *Pages) startDraft(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	v, err := g.overview(r, actor)
	if err != nil {
		return err
	}
	ask := store.DraftInput{Report: v.ID, OnlyChanged: r.PostForm.Get("only_changed") == "yes"}
	back := reportAt(v.ID, "")
	if name := r.PostForm.Get("section"); name != "" {
		one, err := v.Document.Find(name)
		if err != nil {
			return err
		}
		ask.Section, back = one.ID, sectionAt(v.ID, one.ID, "")
	}
	key := "page:" + rand.Text()
	if after := r.PostForm.Get("after"); after != "" && web.Plain(after) == nil {
		key = "page:" + v.ID + ":after:" + store.Cut(after, 20) + ":" + strconv.FormatBool(ask.OnlyChanged) + ":" +
			store.Cut(ask.Section, 100)
	}
	if _, err = g.store.StartDraft(r.Context(), actor, ask, key); err != nil {
		if !mends(err) {
			return err
		}
		return g.showReport(w, r, web.Status(fault.KindOf(err)), reportView{fault: err, notDone: "draft"})
	}
	http.Redirect(w, r, g.site.Page(r).Href(back), http.StatusSeeOther)
	return nil
}

// giveData takes a newer run of the model, and leads to what it changes.
func (g *Pages) giveData(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	ctx, done := web.Patient(w, r, maxSending)
	defer done()
	id := r.PathValue("id")
	run, err := runIn(r)
	if err == nil {
		_, err = g.desk.GiveData(ctx, actor, id, run)
	}
	if err != nil {
		if !mends(err) || !store.IsID(id) {
			return err
		}
		return g.showReport(w, r, web.Status(fault.KindOf(err)), reportView{fault: err, notDone: "data"})
	}
	http.Redirect(w, r, g.site.Page(r).Href(reportAt(id, partChanges)), http.StatusSeeOther)
	return nil
}

// A deed is what somebody does about a section: what it is called, and what they typed.
type deed struct {
	typed

	do func(actor identity.Actor, report, section string) error
}

// do does something about the section that an address names, and leads back to it; or shows the page with why it was not done and
// everything that was typed.
func (g *Pages) do(w http.ResponseWriter, r *http.Request, read func(form url.Values) deed) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	v, err := g.overview(r, actor)
	if err != nil {
		return err
	}
	s, err := v.Document.Find(r.PathValue("section"))
	if err != nil {
		return err
	}
	d := read(r.PostForm)
	if err = d.do(actor, v.ID, s.ID); err == nil {
		to := web.Address(sectionAt(v.ID, s.ID, ""), "done", d.what)
		http.Redirect(w, r, g.site.Page(r).Href(to), http.StatusSeeOther)
		return nil
	}
	if !mends(err) {
		return err
	}
	d.fault = err
	return g.showSection(w, r, web.Status(fault.KindOf(err)), sectionView{told: d.typed})
}

// write puts a person's words into a section, in the place of the text they saw.
func (g *Pages) write(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(form url.Values) deed {
		text := strings.ReplaceAll(form.Get("text"), "\r\n", "\n")
		return deed{typed{what: "text", text: text}, func(actor identity.Actor, report, section string) error {
			_, err := g.desk.Write(r.Context(), actor, report, section, form.Get("was"), text)
			return err
		}}
	})
}

// rate scores the version that somebody saw.
func (g *Pages) rate(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(form url.Values) deed {
		number := func(name string) int {
			n, err := strconv.Atoi(form.Get(name))
			if err != nil {
				return 0
			}
			return n
		}
		one := store.Rating{Version: number("version"), Accuracy: number("accuracy"), Completeness: number("completeness"),
			Clarity: number("clarity"), DataUse: number("data_use"), Words: strings.TrimSpace(form.Get("words"))}
		return deed{typed{what: "rating", rating: one}, func(actor identity.Actor, report, section string) error {
			one.Section = section
			return g.desk.Rate(r.Context(), actor, report, one)
		}}
	})
}

// note notes what a section lacks.
func (g *Pages) note(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(form url.Values) deed {
		text := strings.TrimSpace(form.Get("text"))
		version, err := strconv.Atoi(form.Get("version"))
		return deed{typed{what: "note", note: text}, func(actor identity.Actor, report, section string) error {
			if err != nil {
				return fault.New(fault.Invalid, "the form does not say which version it is about").WithNext("open the page again").
					Because("form_stale")
			}
			_, err := g.desk.Note(r.Context(), actor, report, store.Note{Section: section, Version: version, Text: text})
			return err
		}}
	})
}

// answer says what became of a note.
func (g *Pages) answer(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(form url.Values) deed {
		n, _ := strconv.Atoi(form.Get("note")) // there is no note 0
		return deed{typed{what: "answer"}, func(actor identity.Actor, report, section string) error {
			return g.store.AnswerNote(r.Context(), actor, report, section, n, form.Get("became"), strings.TrimSpace(form.Get("answer")))
		}}
	})
}

// judge accepts or refuses the answer to somebody's own note.
func (g *Pages) judge(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(form url.Values) deed {
		n, _ := strconv.Atoi(form.Get("note")) // there is no note 0
		return deed{typed{what: "verdict"}, func(actor identity.Actor, report, section string) error {
			return g.store.JudgeNote(r.Context(), actor, report, section, n, form.Get("verdict"))
		}}
	})
}

// makeCheck makes a note a standing check: every text of the section has to mention it.
func (g *Pages) makeCheck(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(form url.Values) deed {
		n, _ := strconv.Atoi(form.Get("note")) // there is no note 0
		return deed{typed{what: "check"}, func(actor identity.Actor, report, section string) error {
			return g.store.AddCheck(r.Context(), actor, report, store.Check{Section: section, Note: n, Phrase: form.Get("phrase")})
		}}
	})
}

// endCheck ends a standing check.
func (g *Pages) endCheck(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(form url.Values) deed {
		n, _ := strconv.Atoi(form.Get("check")) // there is no check 0
		return deed{typed{what: "unchecked"}, func(actor identity.Actor, report, section string) error {
			return g.store.EndCheck(r.Context(), actor, report, section, n)
		}}
	})
}

// signOff asks for a section to be signed.
func (g *Pages) signOff(w http.ResponseWriter, r *http.Request) error {
	return g.do(w, r, func(url.Values) deed {
		return deed{typed{what: "sign"}, func(actor identity.Actor, report, section string) error {
			v, err := g.desk.Overview(r.Context(), actor, report)
			if err == nil {
				_, err = g.clerk.Ask(r.Context(), actor, v, section)
			}
			return err
		}}
	})
}
