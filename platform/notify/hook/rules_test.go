package hook

import (
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// However an address of version 4 is written into one of version 6, nothing
// inside is reached.
func TestNoWayOfWritingAnInsideAddressIsReached(t *testing.T) {
	insides := []netip.Prefix{
		netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
		netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("100.64.0.0/10"),
		netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("224.0.0.0/4"),
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(insides).Draw(t, "network")
		b := p.Addr().As4()
		for i, free := range rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "host") {
			mask := byte(0xff)
			if kept := p.Bits() - 8*i; kept >= 8 {
				mask = 0
			} else if kept > 0 {
				mask = 0xff >> kept
			}
			b[i] |= free & mask
		}
		four := netip.AddrFrom4(b)
		translated := [16]byte{0x00, 0x64, 0xff, 0x9b, 12: b[0], 13: b[1], 14: b[2], 15: b[3]}
		sixToFour := [16]byte{0x20, 0x02, b[0], b[1], b[2], b[3]}
		stateless := [16]byte{8: 0xff, 9: 0xff, 12: b[0], 13: b[1], 14: b[2], 15: b[3]}
		compatible := [16]byte{12: b[0], 13: b[1], 14: b[2], 15: b[3]}
		for _, a := range []netip.Addr{four, netip.AddrFrom16(four.As16()), netip.AddrFrom16(translated), netip.AddrFrom16(sixToFour),
			netip.AddrFrom16(stateless), netip.AddrFrom16(compatible)} {
			if mayReach(a, false) {
				t.Fatalf("%s is reached", a)
			}
			if mayReach(a, true) && !a.Unmap().IsLoopback() {
				t.Fatalf("%s is reached where this machine is", a)
			}
		}
	})
}

func TestEveryTryFollowsOnAndTheyEndAfterAboutThreeDays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`msg_[0-9A-Z]{26}`).Draw(t, "id")
		now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
		p, at := parcel{ID: id, Kind: "case"}, now
		for n := 1; ; n++ {
			v := judge(p, outcome{fault: FaultServer}, false, at)
			if v.state == GivenUp {
				if over := at.Sub(now); n != Tries() || !v.giveUp || over < 60*time.Hour || over > 90*time.Hour {
					t.Fatalf("given up after %d tries and %v", n, over)
				}
				return
			}
			if v.state != Waiting || !v.due.After(at) || v.giveUp {
				t.Fatalf("after try %d: %+v", n, v)
			}
			p.Tries, at = v.tries, v.due
		}
	})
}

func TestAReceiverMayAskForTimeButNotForEver(t *testing.T) {
	now := time.Now()
	p := parcel{ID: "msg_1", Kind: "case"}
	for _, tt := range []struct {
		wait time.Duration
		want time.Duration // at least
	}{{0, 4 * time.Second}, {time.Hour, time.Hour}} {
		v := judge(p, outcome{fault: FaultServer, wait: tt.wait}, false, now)
		if got := v.due.Sub(now); got < tt.want || got > tt.want+time.Minute {
			t.Errorf("asked for %v, waits %v", tt.wait, got)
		}
	}
	for status, header := range map[int]string{429: "999999999999", 503: "86401"} {
		if got := retryAfter(status, map[string][]string{"Retry-After": {header}}); got > mostRetryAfter {
			t.Errorf("%d with %s waits %v", status, header, got)
		}
	}
	if got := retryAfter(500, map[string][]string{"Retry-After": {"100"}}); got != 0 {
		t.Errorf("another answer waits %v", got)
	}
}
