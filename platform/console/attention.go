package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// snoozes are how long a proposal can be put off from its page.
func snoozes() []string { return []string{"hour", "evening", "tomorrow", "week"} }

// snoozeUntil is when something that was put off comes back, by the clock of the
// reader's organisation.
func snoozeUntil(how string, now time.Time) (time.Time, error) {
	day := func(days, hour int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, hour, 0, 0, 0, now.Location())
	}
	switch how {
	case "hour":
		return now.Add(time.Hour), nil
	case "evening":
		if at := day(0, 17); at.After(now) {
			return at, nil
		}
		return day(1, 9), nil
	case "tomorrow":
		return day(1, 9), nil
	case "week":
		return day(7, 9), nil
	case "back":
		return now.Add(-time.Minute), nil
	}
	return time.Time{}, fault.New(fault.Invalid, "a proposal can't be snoozed until %.20q", how).Because("no_choice", "value", how)
}

// snoozeProposal takes a proposal out of one's own inbox for a time.
func (c *Console) snoozeProposal(w http.ResponseWriter, r *http.Request) error {
	return c.attend(w, r, func(done *string) error {
		actor, err := c.proposalReader(r)
		if err != nil {
			return err
		}
		how := r.PostForm.Get("until")
		until, err := snoozeUntil(how, c.site.Page(r).Now)
		if err != nil {
			return err
		}
		*done = "snooze"
		if how == "back" {
			*done = "unsnooze"
		}
		return c.Reviews.Snooze(r.Context(), actor, r.PathValue("id"), until)
	})
}

// claimProposal says that one is looking at a proposal, or has stopped.
func (c *Console) claimProposal(w http.ResponseWriter, r *http.Request) error {
	return c.attend(w, r, func(done *string) error {
		actor, err := c.proposalReader(r)
		if err != nil {
			return err
		}
		if r.PostForm.Get("do") == "unclaim" {
			*done = "unclaim"
			return c.Reviews.Unclaim(r.Context(), actor, r.PathValue("id"))
		}
		*done = "claim"
		_, err = c.Reviews.Claim(r.Context(), actor, r.PathValue("id"))
		return err
	})
}

// openedProposal counts for how long a part of the page was open. The page's
// script sends it; nobody waits for the answer.
func (c *Console) openedProposal(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	seconds, err := strconv.Atoi(r.PostForm.Get("seconds"))
	if err != nil {
		return fault.New(fault.Invalid, "%.20q is no number of seconds", r.PostForm.Get("seconds")).
			Because("no_number", "value", r.PostForm.Get("seconds"))
	}
	if err := c.Reviews.Opened(r.Context(), actor, r.PathValue("id"), r.PostForm.Get("what"), seconds); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// attend does something around a proposal that decides nothing, and goes back to
// where it was asked for.
func (c *Console) attend(w http.ResponseWriter, r *http.Request, do func(done *string) error) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	var done string
	err := do(&done)
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(afterAttending(r, r.PathValue("id"), done)), http.StatusSeeOther)
		return nil
	case !mendable(err):
		return err
	}
	v, readErr := c.readProposal(r)
	if readErr != nil {
		return err
	}
	v.fault = err
	return c.showProposal(w, r, web.Status(fault.KindOf(err)), v)
}

// attended are what can be done around a proposal, as a page says afterwards.
func attended() []string { return []string{"snooze", "unsnooze", "claim", "unclaim", "assign"} }
