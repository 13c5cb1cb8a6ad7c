package program

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
)

var (
	engineWalks = flag.Int("engine-walks", 3, "random lives of vans on the real engine")
	walkEvents  = flag.Int("walk-events", 10, "the most events of a random life")
	walkSeed    = flag.Uint64("walk-seed", 1, "of the random lives; 0 draws one")
)

// TestRandomLivesOnTheEngineKeepThePromises lives through random lives of vans, all
// at once, on the real engine with real mail: replies proven and not, automatic
// replies, bounces, leave, changed records, vans taken out of service, riders who
// leave, decisions by those who may and those who may not, days passing, mail
// servers that fail, and the worker killed in the middle. Then nobody writes any
// more and people answer everything, and every case must end. The promises are
// asked of the database, in SQL that knows none of our code; that each question can
// find a broken promise is shown by breaking it. The seed is fixed, so that every run
// of the tests lives the same lives and one that fails can be lived again; new ones are
// drawn with -walk-seed=0.
func TestRandomLivesOnTheEngineKeepThePromises(t *testing.T) {
	seed := *walkSeed
	if seed == 0 {
		seed = rand.Uint64N(1_000_000) + 1
	}
	fmt.Printf("walks of seed %d\n", seed)
	server := notifytest.NewServer(t)
	g := newPatrol(t, server.Address, "Vanpools <vanpools@example.org>", 2*time.Second)
	g.post = server
	g.keepLedger()
	walkers := g.vans(*engineWalks, seed)
	go g.keepFresh()
	g.audit()
	if !g.eventually(1, func() bool { return g.state(walkers[0].van) == "pending_reply" }) {
		t.Fatalf("the first letters do not go out: %s", g.state(walkers[0].van))
	}
	server.Fail(faults(seed))
	g.walk(walkers)
	quiet := g.clock.Now()
	server.Fail(nil)
	g.settleAll(walkers)
	broken := 0
	for _, ask := range promises() {
		for _, line := range g.asks(ask.query, ask.args(quiet)...) {
			broken++
			t.Errorf("broken: %s: %s\n%s", ask.promise, line, g.story(walkers, line))
		}
	}
	for _, id := range twice(server.Mails()) {
		broken++
		t.Errorf("broken: no letter goes out twice: %s", id)
	}
	g.breakEach(quiet)
	met := map[string]int{"kills": g.kills, "mails": len(server.Mails())}
	for _, w := range walkers {
		for what, n := range w.met {
			met[what] += n
		}
	}
	for _, end := range g.asks(`select count(*) || ' ' || state || ' ' || coalesce(life->>'sub_reason', '') from poolpatrol.case
		group by state, life->>'sub_reason' order by 1`) {
		n, how, _ := strings.Cut(end, " ")
		met[how], _ = strconv.Atoi(n)
	}
	fmt.Printf("met %v\n", met)
	fmt.Printf("poolwalk: %d lives on the engine, %d events, %d cases: %d broken promises\n", len(walkers), met["events"],
		len(g.asks(`select id from poolpatrol.case`)), broken)
}

// faults are what a mail server does to some conversations.
func faults(seed uint64) func() notifytest.Fault {
	var mu sync.Mutex
	dice := rand.New(rand.NewPCG(seed, 1))
	return func() notifytest.Fault {
		mu.Lock()
		defer mu.Unlock()
		switch dice.IntN(60) {
		case 0:
			return notifytest.NoSuchUser
		case 1:
			return notifytest.TookAndCut
		case 2, 3:
			return notifytest.LaterRcpt
		}
		return notifytest.None
	}
}

// A walker leads the life of one van.
type walker struct {
	*patrol

	van    string
	riders []string // who may come to fail, by id
	dice   *rand.Rand
	events []string
	met    map[string]int
	away   map[string]bool
	fits   map[string]bool
}

// vans makes vans of eight riders of whom three may come to fail, and one or more
// do from the beginning.
func (g *patrol) vans(n int, seed uint64) (all []*walker) {
	g.t.Helper()
	const rows = `
		insert into poolpatrol.site values ('north', 'PLANT-1', 'Plant 1', 'America/Los_Angeles', 37.5, -121.9);
		insert into poolpatrol.shift values ('north', 'SHIFT_DAY', 'Day', '[{"day":"Mon","start_time":"07:00","end_time":"16:00"},{"day":"Tue","start_time":"07:00","end_time":"16:00"}]'),
			('north', 'SHIFT_NIGHT', 'Night', '[{"day":"Mon","start_time":"22:00","end_time":"06:00"},{"day":"Tue","start_time":"22:00","end_time":"06:00"}]');
		insert into poolpatrol.vanpool (org, id, site_id, capacity, status, changed_at) select 'north', 'VP-' || 4000 + v, 'PLANT-1', 9, 'active', now() - interval '1 day' from generate_series(1, %[1]d) v;
		insert into poolpatrol.employee (org, id, status, site_id, name, email, home_zip, home_lat, home_lng, changed_at)
			select 'north', 'EMP-' || 40000 + 10 * v + n, 'active', 'PLANT-1', 'Rider' || 40000 + 10 * v + n || ' Made-up', 'emp-' || 40000 + 10 * v + n || '@riders.example.org', '94555', 37.55, -121.95, now() - interval '1 day'
			from generate_series(1, %[1]d) v, generate_series(1, 8) n;
		insert into poolpatrol.assignment select 'north', id, 'SHIFT_DAY', '2020-01-01', null from poolpatrol.employee;
		insert into poolpatrol.rider (org, vanpool_id, employee_id) select 'north', 'VP-' || 4000 + v, 'EMP-' || 40000 + 10 * v + n from generate_series(1, %[1]d) v, generate_series(1, 8) n;
		insert into poolpatrol.sync (org, kind, at, way, by) select 'north', k, now(), 'api', 'test' from unnest(array['sites', 'shifts', 'employees', 'vanpools']) k`
	g.sql(fmt.Sprintf(rows, n))
	for v := 1; v <= n; v++ {
		w := &walker{patrol: g, van: fmt.Sprint("VP-", 4000+v), dice: rand.New(rand.NewPCG(seed, uint64(v)+1)), met: map[string]int{},
			away: map[string]bool{}, fits: map[string]bool{}}
		for n := 6; n <= 8; n++ {
			who := fmt.Sprint("EMP-", 40000+10*v+n)
			w.riders = append(w.riders, who)
			w.fits[who] = true
			g.notes("fits", w.van, who, "")
		}
		for _, who := range w.riders[:1+w.dice.IntN(3)] {
			w.spoil(who)
		}
		all = append(all, w)
	}
	return all
}

// walk lets every van live at once, and has the worker killed meanwhile.
func (g *patrol) walk(all []*walker) {
	var lives sync.WaitGroup
	lives.Go(all[0].keepsSilent)
	for _, w := range all[1:] {
		lives.Go(w.live)
	}
	var over atomic.Bool
	var killer sync.WaitGroup
	killer.Go(func() {
		for n := 0; n == 0 || !over.Load(); n++ {
			time.Sleep(20 * time.Second) // as long as the engine takes to give a dead worker's step to another
			g.kill()
		}
	})
	lives.Wait()
	over.Store(true)
	killer.Wait()
}

// keepsSilent is the life of a van whose riders never say a word: it ends with
// memberships that end, so that there are some to ask the promises about.
func (w *walker) keepsSilent() {
	ended := w.eventually(2, func() bool {
		for _, c := range w.cards(w.van) {
			switch c.tool {
			case "cancel_membership":
				w.tell(w.refused(c))
				w.tell(fmt.Sprint("approves ", c.id, " ", w.answers(w.token, c, "approve", "nobody answers", nil)))
			case "settle_case":
				w.tell(fmt.Sprint("settles ", c.id, " proceed ", w.settleAs(c, "proceed")))
			}
		}
		return w.state(w.van) == "cancelled membership_cancelled"
	})
	if !ended {
		w.t.Errorf("broken: silence does not end in cancellations: %s", w.story([]*walker{w}, w.van))
	}
}

// live is one random life.
func (w *walker) live() {
	for range 5 + w.dice.IntN(max(*walkEvents-4, 1)) {
		time.Sleep(time.Duration(100+w.dice.IntN(1500)) * time.Millisecond)
		if w.t.Failed() || w.t.Context().Err() != nil {
			return
		}
		name, do := w.draw()
		what := do(w)
		w.met["events"]++
		w.met[name]++
		w.tell(name + ": " + what)
	}
	for who := range maps.Clone(w.away) {
		w.comesBack(who)
	}
}

func (w *walker) tell(what string) {
	w.events = append(w.events, fmt.Sprintf("%s %s", w.clock.Now().Format("01-02 15:04"), what))
}

// settleAll answers whatever is open about any van, until no case is.
func (g *patrol) settleAll(all []*walker) {
	g.t.Helper()
	const open = `select vanpool_id || ' ' || state from poolpatrol.case where state not in ('resolved', 'cancelled')
		union all select r.vanpool_id || ' unsettled' from poolpatrol.audit_run r join poolpatrol.pass p on p.org = r.org and p.id = r.pass
		where p.kind <> 're_audit' and r.outcome = 'failed' and not r.settled
		union all select id from poolpatrol.pass where state = 'running'
		union all select case_id from poolpatrol.case_todo where done_at is null
		union all select id from gavel.mail where state in ('queued', 'sending')`
	ended := g.eventually(3, func() bool {
		left := g.asks(open)
		for _, w := range all {
			if slices.ContainsFunc(left, func(line string) bool { return strings.HasPrefix(line, w.van+" ") }) {
				w.settleWhatIsOpen()
			}
		}
		return len(left) == 0
	})
	if !ended {
		g.t.Errorf("broken: people answer everything and nobody writes, and it does not end: %v", g.asks(open))
	}
}

// settleWhatIsOpen answers every card about the van for good, and looks at mail
// that nobody could be sure of.
func (w *walker) settleWhatIsOpen() {
	for _, id := range w.heldMail() {
		w.call("POST", "/v1/mail/"+id+"/discard", map[string]any{"note": "nothing"}, nil)
	}
	for _, c := range w.cards(w.van) {
		switch c.tool {
		case "cancel_membership":
			if w.dice.IntN(3) == 0 {
				w.tell(fmt.Sprint("rejects ", c.id, " ", w.answers(w.token, c, "reject", "the shift list is wrong", nil)))
				continue
			}
			w.tell(fmt.Sprint("approves ", c.id, " ", w.answers(w.token, c, "approve", "nobody answers", nil)))
		case "send_email_for_review":
			w.tell(fmt.Sprint("rejects ", c.id, " ", w.answers(w.token, c, "reject", "no answer is needed", nil)))
		case "settle_case":
			choice := []string{"proceed", "proceed", "false_positive", "exception"}[w.dice.IntN(4)]
			w.met["settled: "+choice]++
			w.tell(fmt.Sprint("settles ", c.id, " ", choice, " ", w.settleAs(c, choice)))
		}
	}
}

// story is the life of the van that a line speaks of: what the walk did, and what
// the case says of itself.
func (g *patrol) story(all []*walker, line string) string {
	for _, w := range all {
		if strings.Contains(line, w.van) {
			return strings.Join(append(w.events, g.asks(`select e.at::text || ' ' || e.kind || ' ' || e.body from gavel.case_entry e
				join poolpatrol.case c on c.org = e.org and c.id = e.case_id
				where c.vanpool_id = $1 order by e.at, e.seq`, w.van)...), "\n")
		}
	}
	return ""
}

// nobody is whoever may not decide about vanpools.
func (w *walker) nobody() string {
	return devToken(w.t, []identity.Role{identity.Officer, identity.Auditor, identity.OrgAdmin}[w.dice.IntN(3)])
}
