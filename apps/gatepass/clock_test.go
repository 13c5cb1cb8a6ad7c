package gatepass_test

import (
	"bytes"
	"flag"
	"image/jpeg"
	"net/http"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass"
	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

var record = flag.Bool("record", false, "write the history of a pass's clock to testdata")

// TestRecordedClocksStillGetThrough promises that the clock of a pass which an earlier build lived through would be lived through
// alike by this one. The history is written by `go test ./apps/gatepass -run TheClockOfAPass -record`.
func TestRecordedClocksStillGetThrough(t *testing.T) {
	durabletest.Replay(t, "testdata/history", gatepass.New().Work.Workflows...)
}

// TestTheClockOfAPassRemindsAndDraws promises that who must approve is reminded and others asked, that photos are drawn without what
// the camera wrote beside them, that somebody who is late is told of three times, each once, and that the case ends with the pass.
func TestTheClockOfAPassRemindsAndDraws(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for a clock")
	}
	clock, err := durable.NewClock(time.Now(), 3600, true) // an hour is a second
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, clock)
	engine := r.Work(t, r.App.Work)
	later := func(d time.Duration) string { return clock.Now().Add(d).UTC().Format(time.RFC3339) }
	number := r.create(t, "hr", "valid_until", later(240*time.Hour))["pass_number"].(string)
	told := func(kind string, times int) {
		t.Helper()
		wait.Until(t, kind+" is told", func() bool {
			return r.Number(t, `select count(*)::int from gatepass.notice where type = $1 and number = $2`, kind, number) >= times
		})
	}
	told("approval_sla_breach", 3)
	wants(t, r.act(t, "admin", number, "approve", map[string]string{"expected_return_at": later(6 * time.Hour)}), 200, "")
	out := r.scan(t, "gate", "scan-exit", number, located(t))
	wants(t, out, 200, "")
	photo := rest.Base + "/media/photo/" + out.JSON["exit_photo_id"].(string)
	wait.Until(t, "the photo is drawn", func() bool { return r.Call(t, "hr", http.MethodGet, photo, nil).Status == 200 })
	for _, variant := range []string{"orig", "jpeg", "thumb"} {
		a := r.Call(t, "hr", http.MethodGet, photo+"?variant="+variant, nil)
		shape, err := jpeg.DecodeConfig(bytes.NewReader([]byte(a.Body)))
		if err != nil || bytes.Contains([]byte(a.Body), []byte("Exif")) || shape.Width >= shape.Height {
			t.Errorf("%s: %v, %+v, %d bytes", variant, err, shape, len(a.Body)) // the camera was held upright
		}
	}
	told("pass_overdue", 3)
	wants(t, r.scan(t, "gate", "scan-return", number, face(t, 8, 8)), 200, "")
	wait.Until(t, "the case is closed", func() bool {
		return r.Number(t, `select count(*)::int from gavel.case where ref = $1 and state = 'closed'`, number) == 1
	})
	if n := r.Number(t, `select count(*)::int from gatepass.notice where number = $1 and type in ('approval_sla_breach', 'pass_overdue')`,
		number); n != 6 {
		t.Errorf("%d reminders were told, want six", n)
	}
	if *record {
		id := "gatepass/" + string(postgrestest.North) + "/" + number
		wait.Until(t, "the clock has ended", func() bool { return ended(t, engine, id) })
		durabletest.Record(t, engine, id, "testdata/history/pass.json")
	}
}

// ended reports whether a workflow has come to its end.
func ended(t *testing.T, c durabletest.Client, id string) bool {
	t.Helper()
	d, err := c.DescribeWorkflowExecution(t.Context(), id, "")
	return err == nil && d.GetWorkflowExecutionInfo().GetCloseTime() != nil
}

// located is a photo on which a camera wrote that it was held on its side, and where.
func located(t *testing.T) []byte {
	t.Helper()
	file := face(t, 640, 480)
	exif := []byte("Exif\x00\x00" +
		"MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00GPS 28.61N 77.20E")
	head := append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
	return append(head, file[2:]...)
}
