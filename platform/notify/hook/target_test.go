package hook_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// elsewhere is an address that is somebody else's.
var elsewhere = netip.MustParseAddr("93.184.216.34")

// known are names as a resolver has them.
func known(names map[string][]netip.Addr) func(*hook.Config) {
	return func(c *hook.Config) {
		c.Loopback = false
		c.Lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
			found, ok := names[host]
			if !ok {
				return nil, errors.New("no such host")
			}
			return found, nil
		}
	}
}

func TestAddressesInsideAreRefusedWhenTheyAreRegistered(t *testing.T) {
	r := newRig(t, known(map[string][]netip.Addr{
		"example.org": {elsewhere}, "two.example.org": {elsewhere, netip.MustParseAddr("10.0.0.7")},
		"localhost": {netip.MustParseAddr("127.0.0.1")}, "metadata.example.org": {netip.MustParseAddr("169.254.169.254")},
		"nothing.example.org": {},
	}))
	for address, ok := range map[string]bool{
		"https://example.org/hooks":      true,
		"https://example.org:8443/hooks": true,
		"https://93.184.216.34/hooks":    true,
		"https://[2606:2800:220:1::1]/":  true,

		"http://example.org/hooks":             false, // in plain
		"https://example.org:25/":              false, // another protocol's
		"https://localhost/":                   false,
		"https://two.example.org/":             false, // one of its addresses
		"https://metadata.example.org/":        false,
		"https://nobody-knows.example.org/":    false,
		"https://nothing.example.org/":         false,
		"https://127.0.0.1/":                   false,
		"https://127.9.9.9:8443/":              false,
		"https://0.0.0.0/":                     false,
		"https://10.1.2.3/":                    false,
		"https://172.16.0.1/":                  false,
		"https://192.168.1.1/":                 false,
		"https://100.64.0.1/":                  false,
		"https://169.254.169.254/latest/":      false,
		"https://198.18.0.1/":                  false,
		"https://224.0.0.1/":                   false,
		"https://255.255.255.255/":             false,
		"https://[::1]/":                       false,
		"https://[::]/":                        false,
		"https://[::ffff:127.0.0.1]/":          false,
		"https://[::ffff:10.0.0.1]/":           false,
		"https://[::127.0.0.1]/":               false,
		"https://[64:ff9b::7f00:1]/":           false,
		"https://[2002:7f00:1::]/":             false,
		"https://[2001:0:7f00:1::]/":           false,
		"https://[fe80::1%25eth0]/":            false,
		"https://[fd00::1]/":                   false,
		"https://[ff02::1]/":                   false,
		"https://2130706433/":                  false, // 127.0.0.1 as one number
		"https://0x7f.0.0.1/":                  false,
		"https://someone:secret@example.org/":  false,
		"https://example.org@127.0.0.1/hooks/": false,
	} {
		_, _, err := r.Register(t.Context(), admin, hook.Draft{URL: address, Title: "x", Kinds: []string{"case"}, Reason: "x"})
		if ok != (err == nil) || !ok && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want it taken %v", address, err, ok)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the refusal repeats it", address)
		}
	}
}

// A name may lead elsewhere when it is registered, and inside a moment later.
func TestANameThatLeadsInsideLaterIsRefusedAtTheConnection(t *testing.T) {
	v := receive(t, nil)
	u, err := url.Parse(v.url)
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, known(map[string][]netip.Addr{"localhost": {elsewhere}}))
	w, _ := r.register(t, "https://localhost:"+u.Port()+"/hooks", "decision")
	r.start(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, "P-1")
	await(t, "a try", func() bool { m := r.messages(t, w.ID); return len(m) == 1 && m[0].Attempts > 0 })
	if m := r.messages(t, w.ID)[0]; m.Fault != hook.FaultInside || m.State != hook.Waiting || len(v.all()) != 0 {
		t.Errorf("got %+v, and %d messages arrived inside", m, len(v.all()))
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	inside := receive(t, nil)
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		r := newRig(t, nil)
		v := receive(t, func(w http.ResponseWriter, _ int, _ delivery) {
			w.Header().Set("Location", inside.url)
			w.WriteHeader(status)
		})
		w, _ := r.register(t, v.url, "decision")
		r.start(t, nil)
		r.happen(t, postgrestest.North, audit.Decision, "P-1")
		await(t, "a try", func() bool { m := r.messages(t, w.ID); return len(m) == 1 && m[0].Attempts > 0 })
		if m := r.messages(t, w.ID)[0]; m.Fault != hook.FaultRedirect || m.Status != status || len(inside.all()) != 0 {
			t.Errorf("got %+v, and %d messages went on", m, len(inside.all()))
		}
	}
}

func TestWhatIsKeptOfAnAnswerIsBoundedText(t *testing.T) {
	for name, tt := range map[string]struct {
		answer func(w http.ResponseWriter)
		fault  string
		kept   string
	}{
		"a long one": {func(w http.ResponseWriter) { _, _ = w.Write([]byte(strings.Repeat("x", 1<<20))) }, "",
			strings.Repeat("x", hook.MaxAnswer)},
		"cut in a character": {func(w http.ResponseWriter) { _, _ = w.Write([]byte("x" + strings.Repeat("क", 1000))) }, "",
			"x" + strings.Repeat("क", (hook.MaxAnswer-1)/3)},
		"bytes": {func(w http.ResponseWriter) { _, _ = w.Write([]byte("a\x00\x1b[31mb\xff")) }, "", "a[31mb"},
		"one that breaks off": {func(w http.ResponseWriter) { w.Header().Set("Content-Length", "100"); _, _ = w.Write([]byte("half")) },
			hook.FaultBroken, "half"},
		"a long header": {func(w http.ResponseWriter) { w.Header().Set("X-Long", strings.Repeat("x", 1<<17)) }, hook.FaultBroken, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			v := receive(t, func(w http.ResponseWriter, _ int, _ delivery) { tt.answer(w) })
			w, _ := r.register(t, v.url, "decision")
			r.start(t, nil)
			r.happen(t, postgrestest.North, audit.Decision, "P-1")
			await(t, "a try", func() bool { m := r.messages(t, w.ID); return len(m) == 1 && m[0].Attempts > 0 })
			_, tries, err := r.Message(t.Context(), admin, w.ID, v.all()[0].id())
			if err != nil || tries[0].Fault != tt.fault || tries[0].Answer != tt.kept {
				t.Errorf("got %q with %.60q of %d bytes, %v", tries[0].Fault, tries[0].Answer, len(tries[0].Answer), err)
			}
		})
	}
}

func TestAReceiverThatNeverAnswersIsNotWaitedForLong(t *testing.T) {
	r := newRig(t, nil)
	done := make(chan struct{})
	v := receive(t, func(http.ResponseWriter, int, delivery) { <-done })
	t.Cleanup(func() { close(done) })
	quick := receive(t, nil)
	slow, _ := r.register(t, v.url, "decision")
	r.register(t, quick.url, "decision")
	r.start(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, "P-1")
	await(t, "the quick one", func() bool { return len(quick.all()) == 1 })
	if m := r.messages(t, slow.ID); len(m) != 1 || m[0].Attempts != 0 {
		t.Errorf("another webhook waited for its end: %+v", m)
	}
	await(t, "an end", func() bool { m := r.messages(t, slow.ID); return len(m) == 1 && m[0].Attempts > 0 })
	if m := r.messages(t, slow.ID)[0]; m.Fault != hook.FaultTimeout {
		t.Errorf("got %+v", m)
	}
}
