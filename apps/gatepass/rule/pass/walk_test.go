package pass_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

// TestRandomLivesKeepThePromises walks through random lives of a pass, with requests honest and not, clocks that go back, and
// forced deletes. After every event it holds the pass against what the design says is always so, and what was allowed against
// what was done.
func TestRandomLivesKeepThePromises(t *testing.T) {
	met := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		for range 40 { // with a fixed seed, a second Check would only repeat the first
			live(t, met)
		}
	})
	if missing := unmet(met); len(missing) > 0 && !testing.Short() { // which tries a fifth of them
		t.Errorf("no life ever met %v: they prove less than they claim", missing)
	}
}

func unmet(met map[string]bool) (missing []string) {
	must := []string{"pending+", "approved+", "rejected", "rejected+", "exited", "exited+", "returned", "self_approval", "pass_in_use",
		"not_returnable",
		"expired", "wrong_site", "stale_version", "not_found", "role_forbidden", "invalid_state", "validation", "photo_required",
		"watchlist_hit", "actor_mismatch", "half back"}
	for _, m := range must {
		if !met[m] {
			missing = append(missing, m)
		}
	}
	return missing
}

func live(t *rapid.T, met map[string]bool) {
	d := draft(rapid.Bool().Draw(t, "returnable"))
	if *d.IsReturnable && rapid.Bool().Draw(t, "with items") {
		d.Items = laptop()
	}
	c, err := pass.Standard().Create(d, making())
	if err != nil {
		t.Fatal(err)
	}
	p, now := c.Pass, morning
	for range rapid.IntRange(1, 14).Draw(t, "events") {
		now = now.Add(time.Duration(rapid.SampledFrom([]int{-30, 0, 1, 10, 60, 240, 900}).Draw(t, "minutes")) * time.Minute)
		q := request(t, p, now)
		before := p
		before.History, before.Items = slices.Clone(p.History), slices.Clone(p.Items)
		c, err := pass.Standard().Apply(p, q)
		if !reflect.DeepEqual(p, before) {
			t.Fatalf("%s changed the pass it was handed", q.Event)
		}
		if err != nil {
			met[string(code(err))] = true
			continue
		}
		always(t, before, c.Pass, q)
		p = c.Pass
		met[string(p.Status)+map[bool]string{true: "+"}[p.Deleted()]] = true
		met["half back"] = met["half back"] || p.Status == pass.Exited && p.PersonBack
		allowedIsTrue(t, p, now)
	}
}

// onwards is what usually happens next.
var onwards = map[pass.Status]pass.Event{pass.Pending: pass.Approve, pass.Approved: pass.ScanExit, pass.Exited: pass.ScanReturn}

// request is anything that somebody might send.
func request(t *rapid.T, p pass.Pass, now time.Time) pass.Request {
	e := rapid.SampledFrom(pass.Events()).Draw(t, "event")
	if next := onwards[p.Status]; next != "" && rapid.Bool().Draw(t, "onwards") {
		e = next
	}
	by := actors[pass.RoleFor(e)]
	if rapid.IntRange(0, 9).Draw(t, "as another") == 0 {
		by = actors[rapid.SampledFrom([]pass.Role{pass.HR, pass.Admin, pass.Gate, pass.Nobody}).Draw(t, "role")]
	}
	q := extending(ordinary(e, by, now), p)
	switch rapid.IntRange(0, 24).Draw(t, "oddity") {
	case 0:
		q.By.ID = hr.ID
	case 1:
		q.Photo = ""
	case 2:
		q.SiteID = "plant-2"
	case 3:
		q.Version = rapid.IntRange(1, 5).Draw(t, "version")
	case 4:
		q.Name = "Somebody Else"
	case 5:
		q.Reason = ""
	case 6, 7:
		q.Force, q.Second = true, other.ID
	case 8:
		q.Watched = true
	case 9:
		q.ValidUntil = now.Add(time.Hour)
	}
	if e == pass.ScanReturn {
		q.Items = item.Everything(p.Items)
		if n := len(q.Items); n > 0 && rapid.Bool().Draw(t, "half") {
			q.Items = q.Items[:n-1]
		}
	}
	return q
}

// always is what holds after every event.
func always(t *rapid.T, before, p pass.Pass, q pass.Request) {
	last := p.History[len(p.History)-1]
	noExit := p.ExitTime.IsZero() && p.ReturnTime.IsZero()
	for promise, kept := range map[string]bool{
		"one version more": p.Version == before.Version+1,
		"history only grows": len(p.History) == len(before.History)+1 &&
			reflect.DeepEqual(p.History[:len(before.History)], before.History),
		"the last line says the status":      last.Status == p.Status && last.Event == q.Event && last.ByID == q.By.ID,
		"history never goes back":            !last.At.Before(before.History[len(before.History)-1].At),
		"the number stays":                   p.Number == before.Number && p.ID == before.ID && p.CreatedBy.ID == before.CreatedBy.ID,
		"nothing happens to what is deleted": !before.Deleted(),
		"nothing leads out of an end": before.Status != pass.Returned && (before.Status != pass.Rejected ||
			p.Status == pass.Rejected),
		"who is rejected never leaves":         p.Status != pass.Rejected || noExit,
		"who is back was to come back":         p.Status != pass.Returned || p.IsReturnable && !item.AnyOpen(p.Items),
		"approved after it was made":           p.ApprovedAt.IsZero() || !p.ApprovedAt.Before(p.CreatedAt),
		"out after it was approved":            p.ExitTime.IsZero() || !p.ExitTime.Before(p.ApprovedAt) && !p.ApprovedAt.IsZero(),
		"back after it was out":                p.ReturnTime.IsZero() || !p.ReturnTime.Before(p.ExitTime) && !p.ExitTime.IsZero(),
		"nobody approved what they made":       q.Event != pass.Approve || q.By.ID != p.CreatedBy.ID,
		"a dead token is dead":                 p.Token >= before.Token && (!p.Deleted() || !before.HasQR() || p.Token > before.Token),
		"a QR is there while somebody uses it": p.HasQR() == (!p.Deleted() && !p.ApprovedAt.IsZero()),
		"nobody is out on what is not out":     !p.Outside() || p.Status == pass.Exited,
	} {
		if !kept {
			t.Fatalf("%s is not so after %s: %+v", promise, q.Event, p)
		}
	}
}

// allowedIsTrue holds what is said to be allowed against what an ordinary request of the same person then meets.
func allowedIsTrue(t *rapid.T, p pass.Pass, now time.Time) {
	for _, by := range actors {
		allowed := pass.Standard().Allowed(p, by, now)
		for _, e := range pass.Events() {
			q := extending(ordinary(e, by, now), p)
			if e == pass.ScanReturn {
				q.Items = item.Everything(p.Items)
			}
			if _, err := pass.Standard().Apply(p, q); (err == nil) != slices.Contains(allowed, e) {
				t.Fatalf("%s by %s on a pass that is %s: allowed are %v, and it was %v", e, by.Role, p.Status, allowed, err)
			}
		}
	}
}
