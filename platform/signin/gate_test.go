package signin_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

func supervisor(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p_supervisor", Name: "Supervisor", Org: org,
		Roles: []identity.Role{identity.GateSupervisor}}
}

// device pairs a new one, by its page.
func (h *house) device(t *testing.T, name string) *browser {
	t.Helper()
	offered, err := h.store.MakePairing(t.Context(), admin(postgrestest.North), name)
	if err != nil {
		t.Fatal(err)
	}
	b := h.browser(t)
	if got := b.post("/pair", url.Values{"code": {strings.ToLower(offered.Code)}}); got.status != http.StatusSeeOther ||
		got.location != "/device" {
		t.Fatalf("pairing with %s got %d: %s", offered.Code, got.status, got.body)
	}
	return b
}

// shift opens one for a guard who has no office account.
func (h *house) shift(t *testing.T, name string) (signin.Shift, string) {
	t.Helper()
	sh, pin, err := h.store.OpenShift(t.Context(), supervisor(postgrestest.North), signin.NewShift{Name: name, Life: 8 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return sh, pin
}

func TestAGuardWorksOnASharedDeviceUnderTheirOwnName(t *testing.T) {
	h := newHouse(t)
	gate := h.device(t, "Gate 2")
	sh, pin := h.shift(t, "R. Devi")
	if _, status := gate.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("a device alone is somebody: %d", status)
	}
	if page := gate.get("/device"); !strings.Contains(page.body, "Gate 2") || !strings.Contains(page.body, "R. Devi") {
		t.Errorf("the device shows:\n%s", page.body)
	}
	if got := gate.post("/device", url.Values{"shift": {sh.ID}, "pin": {pin}}); got.status != http.StatusSeeOther {
		t.Fatalf("the number got %d: %s", got.status, got.body)
	}
	who, _ := gate.whoAmI()
	if who.Kind != "person" || who.ID != sh.Person || who.Name != "R. Devi" || !slices.Equal(who.Roles, []string{"gate"}) ||
		who.Device != "Gate 2" || who.Sort != "shift" {
		t.Errorf("the guard is %+v", who)
	}
	thief := gate.copied()
	if got := gate.post("/sign-out", nil); got.location != "/device" {
		t.Errorf("handing over leads to %q", got.location)
	}
	if _, status := thief.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("after the hand-over the guard is still in: %d", status)
	}
	next, nextPin := h.shift(t, "S. Rao")
	if got := gate.post("/device", url.Values{"shift": {next.ID}, "pin": {nextPin}}); got.status != http.StatusSeeOther {
		t.Errorf("the next guard got %d", got.status)
	}
	if second, _ := gate.whoAmI(); second.ID == who.ID || second.Device != "Gate 2" {
		t.Errorf("the next guard is %+v", second)
	}
	h.clock.pass(time.Hour + 59*time.Minute)
	gate.whoAmI()
	for range 7 {
		h.clock.pass(time.Hour)
		gate.whoAmI()
	}
	if _, status := gate.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("after the shift the guard is still in: %d", status)
	}
	if got := gate.post("/device", url.Values{"shift": {next.ID}, "pin": {nextPin}}); got.status != http.StatusForbidden {
		t.Errorf("the number of a shift that is over got %d", got.status)
	}
}

func TestFiveWrongNumbersLockAShift(t *testing.T) {
	h := newHouse(t)
	gate := h.device(t, "Gate 1")
	sh, pin := h.shift(t, "R. Devi")
	wrong := "000000"
	if pin == wrong {
		wrong = "000001"
	}
	try := func(pin string) int { return gate.post("/device", url.Values{"shift": {sh.ID}, "pin": {pin}}).status }
	for n := 1; n <= 4; n++ {
		if got := try(wrong); got != http.StatusForbidden {
			t.Errorf("wrong number %d got %d", n, got)
		}
	}
	if got := try(wrong); got != http.StatusTooManyRequests {
		t.Errorf("the fifth wrong number got %d", got)
	}
	if got := try(pin); got != http.StatusTooManyRequests {
		t.Errorf("the right number got %d while it is locked", got)
	}
	if got := h.records(t, audit.Refusal); len(got) != 1 || !strings.Contains(got[0], sh.ID) || !strings.Contains(got[0], "device:dev_") {
		t.Errorf("on record: %v", got)
	}
	h.clock.pass(14 * time.Minute)
	if got := try(pin); got != http.StatusTooManyRequests {
		t.Errorf("after 14 minutes it got %d", got)
	}
	h.clock.pass(time.Minute + time.Second)
	if got := try(pin); got != http.StatusSeeOther {
		t.Errorf("after 15 minutes the right number got %d", got)
	}
}

func TestWrongNumbersAreCountedTogetherHoweverTheyArrive(t *testing.T) {
	h := newHouse(t)
	gate := h.device(t, "Gate 1")
	sh, pin := h.shift(t, "R. Devi")
	statuses := make(chan int)
	for n := range 12 {
		b := gate.copied()
		guess := "00000" + string(rune('0'+n%10))
		if guess == pin {
			guess = "999999"
		}
		go func() { statuses <- b.post("/device", url.Values{"shift": {sh.ID}, "pin": {guess}}).status }()
	}
	refused := 0
	for range 12 {
		if <-statuses == http.StatusForbidden {
			refused++
		}
	}
	if refused != 4 {
		t.Errorf("%d numbers were tried and refused, want 4 before the lock", refused)
	}
}

func TestACodePairsOneDeviceOnceInTime(t *testing.T) {
	h := newHouse(t)
	offered, err := h.store.MakePairing(t.Context(), admin(postgrestest.North), "Gate 1")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(offered.Code, "north-") {
		t.Errorf("the code is %q", offered.Code)
	}
	for name, code := range map[string]string{"another organisation": strings.Replace(offered.Code, "north", "south", 1),
		"nonsense": "north-0000-0000",
		"empty":    "", "no organisation": strings.TrimPrefix(offered.Code, "north-"), "huge": offered.Code + strings.Repeat("0", 10_000)} {
		if d, secret, err := h.store.Pair(t.Context(), code); !fault.Is(err, fault.Refused) || secret != "" {
			t.Errorf("%s paired %+v, %v", name, d, err)
		}
	}
	d, secret, err := h.store.Pair(t.Context(), strings.ReplaceAll(strings.ToLower(offered.Code), "0", "o"))
	if err != nil || d.Name != "Gate 1" || !strings.HasPrefix(secret, "gvk_north.") {
		t.Fatalf("paired %+v, %v", d, err)
	}
	if _, _, err := h.store.Pair(t.Context(), offered.Code); !fault.Is(err, fault.Refused) {
		t.Errorf("the code again: %v", err)
	}
	if _, err := h.store.MakePairing(t.Context(), admin(postgrestest.North), "Gate 1"); !fault.Is(err, fault.Conflict) {
		t.Errorf("a name that is taken: %v", err)
	}
	late, err := h.store.MakePairing(t.Context(), admin(postgrestest.North), "Gate 2")
	if err != nil {
		t.Fatal(err)
	}
	h.wall.pass(10*time.Minute + time.Second)
	if _, _, err := h.store.Pair(t.Context(), late.Code); !fault.Is(err, fault.Refused) {
		t.Errorf("after ten minutes: %v", err)
	}
	if _, err := h.store.MakePairing(t.Context(), officer(postgrestest.North), "Gate 3"); !fault.Is(err, fault.Refused) {
		t.Errorf("an officer paired: %v", err)
	}
}

func TestARevokedDeviceIsAStrangerAndItsGuardIsOut(t *testing.T) {
	h := newHouse(t)
	gate := h.device(t, "Gate 1")
	sh, pin := h.shift(t, "R. Devi")
	gate.post("/device", url.Values{"shift": {sh.ID}, "pin": {pin}})
	all, err := h.store.Devices(t.Context(), admin(postgrestest.North))
	if err != nil || len(all) != 1 {
		t.Fatalf("devices %v, %v", all, err)
	}
	if err := h.store.RevokeDevice(t.Context(), admin(postgrestest.South), all[0].ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation revoked it: %v", err)
	}
	if err := h.store.RevokeDevice(t.Context(), admin(postgrestest.North), all[0].ID); err != nil {
		t.Fatal(err)
	}
	if _, status := gate.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("the guard is still in: %d", status)
	}
	if got := gate.post("/device", url.Values{"shift": {sh.ID}, "pin": {pin}}); got.status == http.StatusSeeOther && got.location == "/" {
		t.Error("the device still lets guards in")
	}
	if got := h.records(t, signin.RecordDevice); len(got) != 2 {
		t.Errorf("on record: %v", got)
	}
}

func TestAGuardHasOneShiftAtATime(t *testing.T) {
	h := newHouse(t)
	gate := h.device(t, "Gate 1")
	sh, pin := h.shift(t, "R. Devi")
	gate.post("/device", url.Values{"shift": {sh.ID}, "pin": {pin}})
	again, _, err := h.store.OpenShift(t.Context(), supervisor(postgrestest.North), signin.NewShift{Person: sh.Person, Life: time.Hour})
	if err != nil || again.ID == sh.ID {
		t.Fatalf("opened %+v, %v", again, err)
	}
	if _, status := gate.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("the guard of the earlier shift is still in: %d", status)
	}
	open, err := h.store.Shifts(t.Context(), supervisor(postgrestest.North))
	if err != nil || len(open) != 1 || open[0].ID != again.ID {
		t.Errorf("open are %+v, %v", open, err)
	}
	if err := h.store.EndShift(t.Context(), supervisor(postgrestest.North), again.ID); err != nil {
		t.Error(err)
	}
	for name, tt := range map[string]struct {
		who  identity.Actor
		n    signin.NewShift
		kind fault.Kind
	}{
		"by an officer":      {officer(postgrestest.North), signin.NewShift{Name: "X", Life: time.Hour}, fault.Refused},
		"too long":           {supervisor(postgrestest.North), signin.NewShift{Name: "X", Life: 17 * time.Hour}, fault.Invalid},
		"of nobody":          {supervisor(postgrestest.North), signin.NewShift{Life: time.Hour}, fault.Invalid},
		"of another's guard": {supervisor(postgrestest.South), signin.NewShift{Person: sh.Person, Life: time.Hour}, fault.NotFound},
		"of somebody without a gate": {supervisor(postgrestest.North), signin.NewShift{Person: personOf(t, h), Life: time.Hour},
			fault.Refused},
	} {
		if _, pin, err := h.store.OpenShift(t.Context(), tt.who, tt.n); !fault.Is(err, tt.kind) || pin != "" {
			t.Errorf("%s: got %v, want %v", name, err, tt.kind)
		}
	}
}

// personOf is the id of an officer who has signed in.
func personOf(t *testing.T, h *house) string {
	who, _ := h.signedIn(t, "officer@north.example").whoAmI()
	return who.ID
}

func TestStrangersWhoTryCodesAreHeldBackAndHoldUpNobodyElse(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn(t, "officer@north.example")
	stranger, held := h.browser(t), 0
	for range 60 {
		if stranger.post("/pair", url.Values{"code": {"north-0000-0000"}}).status == http.StatusTooManyRequests {
			held++
		}
	}
	if held < 20 {
		t.Errorf("%d of 60 codes in a row were held back", held)
	}
	if got := b.post("/terminal", url.Values{"code": {"0000-0000"}}); got.status != http.StatusNotFound {
		t.Errorf("somebody who is signed in got %d meanwhile", got.status)
	}
	elsewhere := h.browser(t)
	elsewhere.from = "198.51.100.7"
	if got := elsewhere.post("/pair", url.Values{"code": {"north-0000-0000"}}); got.status != http.StatusForbidden {
		t.Errorf("a stranger from elsewhere got %d meanwhile", got.status)
	}
}

// TestNobodyKeepsOthersFromSigningInAtATerminal: a stranger who begins terminals
// over and over has a share of their own, and so has a person who tries codes.
func TestNobodyKeepsOthersFromSigningInAtATerminal(t *testing.T) {
	h := newHouse(t)
	flood, let := h.browser(t), 0
	flood.from = "198.51.100.7"
	for range 100 {
		if flood.json("POST", "/v1/terminals", `{"name":"flood"}`).status == http.StatusCreated {
			let++
		}
	}
	if let > 30 {
		t.Errorf("%d of 100 terminals from one place were let wait", let)
	}
	other := h.browser(t)
	if got := other.json("POST", "/v1/terminals", `{"name":"desk"}`); got.status != http.StatusCreated {
		t.Errorf("a terminal from elsewhere got %d: %s", got.status, got.body)
	}
	busy, held := h.signedIn(t, "officer@north.example"), 0
	for range 60 {
		if busy.post("/terminal", url.Values{"code": {"0000-0000"}}).status == http.StatusTooManyRequests {
			held++
		}
	}
	if held < 20 {
		t.Errorf("%d of 60 codes in a row were held back", held)
	}
	if got := h.signedIn(t, "analyst@north.example").
		post("/terminal", url.Values{"code": {"0000-0000"}}); got.status != http.StatusNotFound {
		t.Errorf("another person got %d meanwhile", got.status)
	}
}

// TestAShiftIsForWhoIsAGuardAndNothingElse: its number is six digits that whoever
// opens it sees, and must not let anybody act as an officer.
func TestAShiftIsForWhoIsAGuardAndNothingElse(t *testing.T) {
	h := newHouse(t)
	guard, _ := h.signedIn(t, "gate@north.example").whoAmI()
	open := func() error {
		_, _, err := h.store.OpenShift(t.Context(), supervisor(postgrestest.North), signin.NewShift{Person: guard.ID, Life: time.Hour})
		return err
	}
	if err := open(); err != nil {
		t.Fatalf("a guard of the office's: %v", err)
	}
	offered := func() bool {
		return strings.Contains(h.signedIn(t, "gate-supervisor@north.example").get("/people/shifts").body, guard.ID)
	}
	if !offered() {
		t.Error("the guard is not offered a shift")
	}
	h.set(t, postgrestest.North, `update gavel.person set roles = '{officer,gate}' where id = $1`, guard.ID)
	if err := open(); !fault.Is(err, fault.Refused) {
		t.Errorf("an officer who is a guard, too: %v", err)
	}
	if offered() {
		t.Error("an officer is offered a shift")
	}
}
