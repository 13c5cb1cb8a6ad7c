package ingest

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed/feedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestAnIngestThatIsCalledOffStopsAtTheNextStep promises that before whichever step that
// happens, no further service is asked, nothing is written to the lake and no scan follows;
// and that the ingest and the log say who wanted it.
func TestAnIngestThatIsCalledOffStopsAtTheNextStep(t *testing.T) {
	for n := range 3 { // before the air, before the others, before the object
		w := feedtest.New(t)
		r := newRig(t).onWorld(t, settingsOf(t, w))
		i := r.beginIngest(t, "k")
		steps, in := &Steps{r.Gatherer}, store.IngestInput{Org: postgrestest.North, Ingest: i.ID}
		cancel := func(step int) {
			if step != n {
				return
			}
			r.In(t, func(tx pgx.Tx) error {
				_, err := job.Cancel(t.Context(), tx, store.IngestJob, airshedtest.Person(identity.Officer), i.ID, r.store.Now())
				return err
			})
		}
		cancel(0)
		goOn, err := steps.AskSource(t.Context(), in, origin.DataGov)
		if err != nil || goOn != (n > 0) {
			t.Errorf("called off before step %d: goes on %t, %v", n, goOn, err)
		}
		cancel(1)
		for _, source := range []string{origin.OpenAQ, origin.Firms, origin.Meteo, origin.Stubble} {
			if _, err := steps.AskSource(t.Context(), in, source); err != nil {
				t.Error(err)
			}
		}
		cancel(2)
		if err := steps.WriteObject(t.Context(), in); err != nil {
			t.Error(err)
		}
		for step, source := range map[int]string{0: origin.DataGov, 1: origin.Firms} {
			if asked := w.Asked(source) > 0; asked != (step < n) {
				t.Errorf("called off before step %d: %s was asked: %t", n, source, asked)
			}
		}
		i, _, err = r.store.IngestOf(t.Context(), in)
		if err != nil || i.State != job.Refused || i.Reason != "asha called it off" || i.Scan != "" || i.Object != "" {
			t.Errorf("got %+v, %v", i, err)
		}
		if _, err := r.surveyor.Lake().Lake.Latest(t.Context()); !fault.Is(err, fault.NotFound) {
			t.Errorf("something lies in the lake: %v", err)
		}
		const log = `select json::json -> 'body' ->> 'did' from gavel.record where subject = $1 order by id`
		if did := strings.Join(r.Texts(t, log, i.ID), " "); did != "started called_off cancelled" {
			t.Errorf("the log says %q", did)
		}
	}
}
