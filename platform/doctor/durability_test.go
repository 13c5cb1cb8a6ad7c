package doctor

import (
	"strings"
	"testing"
)

func TestWhatACrashOrAFailoverCouldLoseIsNamed(t *testing.T) {
	safe := durability{Fsync: "on", FullPages: "on", Commit: "on"}
	for _, tt := range []struct {
		name  string
		plant func(*durability)
		want  Status
		says  string
	}{
		{"all is well", func(*durability) {}, OK, ""},
		{"fsync is off", func(d *durability) { d.Fsync = "off" }, Fail, "fsync = off"},
		{"full_page_writes is off", func(d *durability) { d.FullPages = "off" }, Fail, "full_page_writes = off"},
		{"synchronous_commit is off", func(d *durability) { d.Commit = "off" }, Fail, "synchronous_commit = off for gavel_app"},
		{"replicas are waited for", func(d *durability) { d.Waited, d.Replicas = "ANY 1 (*)", 2 }, OK, ""},
		{"replicas are to be waited for, and are not", func(d *durability) { d.Waited, d.Replicas, d.Commit = "ANY 1 (*)", 2, "local" },
			Warn, "local"},
		{"a replica follows that nobody waits for", func(d *durability) { d.Replicas = 1 }, Warn, "1 follow"},
	} {
		d := safe
		tt.plant(&d)
		got := d.judge("gavel_app")
		if got.Status != tt.want || !strings.Contains(got.Detail, tt.says) || (got.Fix == "") != (tt.want == OK) {
			t.Errorf("%s: got %+v", tt.name, got)
		}
	}
}
