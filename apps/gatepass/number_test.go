package gatepass_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass"
	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/platformtest"
)

var passes = flag.Int("passes", 300, "how many passes are made at once; 10000 before a release")

// TestNumbersHaveNoGapWhoeverAsks promises that passes made by fifty clients at once, some of them refused, are numbered without
// gap or repeat, each in the year that its site has: of two servers one is in the next year already, where it is not yet by UTC.
func TestNumbersHaveNoGapWhoeverAsks(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes many passes")
	}
	r := newRig(t, durable.Clock{})
	ahead := r.ahead(t)
	total := *passes
	var group sync.WaitGroup
	made := make(chan string, total)
	for client := range 50 {
		group.Go(func() {
			for i := client; i < total; i += 50 {
				made <- []*rig{r, ahead}[i/50%2].numbered(t, fmt.Sprintf("client%d", client), i)
			}
		})
	}
	group.Wait()
	close(made)
	years := map[int][]number.Number{}
	for n := range made {
		if n != "" {
			years[number.Number(n).Year()] = append(years[number.Number(n).Year()], number.Number(n))
		}
	}
	if len(years) != 2 {
		t.Errorf("the passes are of the years %v", slices.Collect(maps.Keys(years)))
	}
	for year, all := range years {
		slices.SortFunc(all, number.Compare)
		for i, n := range all {
			if want, _ := number.Of(year, i+1); n != want {
				t.Fatalf("the %dth number of %d is %s", i+1, year, n)
			}
		}
		if last := r.Number(t, `select last from gatepass.counter where year = $1`, year); last != len(all) {
			t.Errorf("%d numbers of %d were given, and %d counted", len(all), year, last)
		}
	}
	const elsewhen = `select count(*)::int from gatepass.pass where substr(number, 4, 4)::int <> extract(year
		from created_at at time zone 'Asia/Kolkata')`
	if n := r.Number(t, elsewhen); n != 0 {
		t.Errorf("%d passes have not the year that their site had", n)
	}
	if !t.Failed() {
		fmt.Printf("%d requests of 50 clients: the numbers of %d years have no gap and no repeat\n", total, len(years))
	}
}

// ahead is a second server of the installation, half an hour into the next year of the site. An hour there is a second.
func (r *rig) ahead(t *testing.T) *rig {
	t.Helper()
	const speed = 3600
	site, start := time.FixedZone("IST", 5*3600+1800), time.Now()
	turn := time.Date(start.In(site).Year()+1, 1, 1, 0, 0, 0, 0, site)
	clock, err := durable.NewClock(start.Add(-turn.Add(30*time.Minute).Sub(start)/(speed-1)), speed, true)
	if err != nil {
		t.Fatal(err)
	}
	app, deps := gatepass.New(), r.Deps
	deps.Clock = clock
	if err := app.Open(deps); err != nil {
		t.Fatal(err)
	}
	return &rig{r.Installation, r.Serve(t, platformtest.Serves{API: app.API, As: people()})}
}

// numbered makes a pass, or one in ten that is refused.
func (r *rig) numbered(t *testing.T, as string, i int) string {
	t.Helper()
	body := `{"person_name":"Asha Rao","description":"To the bank","is_returnable":true}`
	if i%10 == 9 {
		body = `{"person_name":"","description":"To the bank","is_returnable":true}`
	}
	a := r.Call(t, as, http.MethodPost, rest.Base+"/hr/gatepass/create", body)
	if i%10 == 9 {
		if a.Status != http.StatusUnprocessableEntity {
			t.Errorf("got %d", a.Status)
		}
		return ""
	}
	if a.Status != http.StatusCreated {
		t.Errorf("got %d %s", a.Status, a.Body)
		return ""
	}
	return a.JSON["pass_number"].(string)
}
