package notice_test

import (
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
)

// TestEachTypeIsToldToWhoMustKnow promises the table of readers, row by row.
func TestEachTypeIsToldToWhoMustKnow(t *testing.T) {
	want := map[notice.Type][]notice.Reader{
		"pass_created": {"admin"}, "pass_approved": {"creator", "hr"}, "pass_rejected": {"creator", "hr"},
		"pass_exited": {"creator", "hr", "host"}, "pass_returned": {"creator", "hr"},
		"pass_deleted": {"creator", "hr"}, "pass_expiring": {"creator", "hr"},
		"pass_overdue": {"creator", "hr", "admin"}, "approval_sla_breach": {"admin"}, "watchlist_hit": {"admin", "gate"},
	}
	for _, k := range notice.Kinds() {
		if !slices.Equal(k.To, want[k.Type]) {
			t.Errorf("%s is told to %v, want %v", k.Type, k.To, want[k.Type])
		}
		if k.Severity == "" {
			t.Errorf("%s has no severity", k.Type)
		}
		delete(want, k.Type)
	}
	if len(want) > 0 {
		t.Errorf("nobody is told of %v", want)
	}
}

// TestANoticeIsToldOnce promises one key for one thing, and another for every other.
func TestANoticeIsToldOnce(t *testing.T) {
	seen := map[string]bool{}
	all := 0
	for _, pass := range []number.Number{"GP-2026-0001", "GP-2026-0011", "GP-2026-10001"} {
		for _, k := range notice.Kinds() {
			for version := 1; version <= 12; version++ {
				for step := range 3 {
					n := notice.New(k.Type, pass, version)
					n.Step = step
					seen[n.Once()] = true
					all++
				}
			}
		}
	}
	if len(seen) != all {
		t.Errorf("%d keys for %d notices", len(seen), all)
	}
	if got := notice.New(notice.Overdue, "GP-2026-0001", 3).Once(); got != "GP-2026-0001/pass_overdue/3" {
		t.Errorf("the key is %s", got)
	}
}

// TestAnUnknownTypeIsNoNotice promises that nothing is told that has no words.
func TestAnUnknownTypeIsNoNotice(t *testing.T) {
	if n := notice.New("pass_painted", "GP-2026-0001", 1); n.Type != "" || n.To != nil {
		t.Errorf("got %+v", n)
	}
	if n := notice.New(notice.Watchlist, "GP-2026-0001", 1); !n.For(notice.Gate) || n.For(notice.HR) ||
		n.Type.Key() != "gatepass.notice.watchlist_hit" {
		t.Errorf("got %+v", n)
	}
}
