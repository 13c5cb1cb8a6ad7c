package web

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

const someRun = "run_00000000000000000000000001"

func TestWordsAreCutToWhatANotificationHolds(t *testing.T) {
	for name, text := range map[string]string{
		"plain": strings.Repeat("x", 20_000), "letters of three bytes": strings.Repeat("ख", 7_000),
		"all escaped": strings.Repeat("\x01", 9_000), "no letters": strings.Repeat("\xffa", 3_000), "nothing": "",
	} {
		s := NewSpeaker(nil, slog.New(slog.DiscardHandler))
		s.due = true // the test sends
		say := s.Stream("north", someRun, "", 3)
		say(text)
		var got strings.Builder
		for i, payload := range s.gather()["north"] {
			if len(payload) > wordsPayload {
				t.Errorf("%s: a payload of %d bytes", name, len(payload))
			}
			w, err := parseWords(payload)
			if err != nil || w.N != i || w.Seq != 3 || w.Run != someRun {
				t.Fatalf("%s: piece %d is %+v, %v", name, i, w, err)
			}
			got.WriteString(w.Text)
		}
		if want := strings.ToValidUTF8(text, "\uFFFD"); got.String() != want {
			t.Errorf("%s: %d bytes came, want %d", name, got.Len(), len(want))
		}
	}
}

func TestAnEndlessAnswerIsNotPassedOnWhole(t *testing.T) {
	s := NewSpeaker(nil, slog.New(slog.DiscardHandler))
	s.due = true
	say := s.Stream("north", someRun, "", 0)
	total := 0
	for range 1000 {
		say(strings.Repeat("x", 500))
		for _, p := range s.gather()["north"] {
			total += len(p)
		}
		s.due = true
	}
	if total > 2*wordsMost {
		t.Errorf("%d bytes were passed on", total)
	}
}

func TestWordsThatAreNotWellFormedAreRefused(t *testing.T) {
	for _, payload := range []string{
		`{`, `{}`, `{"org":"north","run":"<b>","seq":1}`, `{"org":"No","run":"` + someRun + `"}`,
		`{"org":"north","run":"` + someRun + `","seq":-1}`, `{"org":"north","run":"` + someRun + `","text":"` + strings.Repeat("x", 2000) +
			`"}`,
	} {
		if _, err := parseWords(payload); err == nil {
			t.Errorf("%.60s was taken", payload)
		}
	}
}

func TestOnlyThoseWhoMayHearWordsBeforeTheyAreOnRecord(t *testing.T) {
	hub, _ := newTestHub(t)
	hub.MayHear = func(a identity.Actor) bool { return a.Has(identity.Officer) }
	officer, other := testActor("north"), testActor("south")
	operator := testActor("north")
	operator.ID, operator.Roles = "p2", []identity.Role{identity.Operator}
	streams := map[string]*stream{}
	for name, a := range map[string]identity.Actor{"officer": officer, "operator": operator, "south": other} {
		s, err := hub.join(a)
		if err != nil {
			t.Fatal(err)
		}
		streams[name] = s
	}
	for range wordsPending + 50 {
		hub.speak(Words{Org: "north", Run: someRun, Text: "a"})
	}
	for name, want := range map[string]int{"officer": wordsPending, "operator": 0, "south": 0} {
		if got := len(streams[name].take().words); got != want {
			t.Errorf("%s heard %d pieces, want %d", name, got, want)
		}
	}
}

// TestWhatIsSaidToSomebodyIsHeardByNobodyElse promises that who may hear words before they are on record hears none that are said to
// another person.
func TestWhatIsSaidToSomebodyIsHeardByNobodyElse(t *testing.T) {
	hub, _ := newTestHub(t)
	hub.MayHear = func(identity.Actor) bool { return true }
	asha, olga := testActor("north"), testActor("north")
	asha.ID, olga.ID = "asha", "olga"
	for _, tt := range []struct {
		to   string
		want [2]int
	}{{"asha", [2]int{1, 0}}, {"olga", [2]int{0, 1}}, {"nobody-here", [2]int{}}, {"", [2]int{1, 1}}} {
		var got [2]int
		for i, a := range []identity.Actor{asha, olga} {
			s, err := hub.join(a)
			if err != nil {
				t.Fatal(err)
			}
			hub.speak(Words{Org: "north", For: tt.to, Run: someRun, Text: "a"})
			got[i] = len(s.take().words)
			hub.leave(a, s)
		}
		if got != tt.want {
			t.Errorf("to %q: asha and olga heard %v pieces, want %v", tt.to, got, tt.want)
		}
	}
}

func TestWordsTravelFromASpeakerToAHub(t *testing.T) {
	db := postgrestest.New(t)
	conn, err := pgx.Connect(t.Context(), db.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "listen "+WordsChannel); err != nil {
		t.Fatal(err)
	}
	say := NewSpeaker(db.App, slog.New(slog.DiscardHandler)).Stream(postgrestest.North, someRun, "", 4)
	began := time.Now()
	say("Good ")
	say("morning.")
	var heard []*pgconn.Notification // one, unless the machine was busy between the two words
	for text := ""; text != "Good morning."; {
		n, err := conn.WaitForNotification(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var w Words
		if err := json.Unmarshal([]byte(n.Payload), &w); err != nil || w.Seq != 4 || w.Try == 0 || w.N != len(heard) || len(heard) > 1 {
			t.Fatalf("heard %s, %v", n.Payload, err)
		}
		heard, text = append(heard, n), text+w.Text
	}
	if took := time.Since(began); took < wordsEvery {
		t.Errorf("sent after %s, before it was gathered", took)
	}
	hub, _ := newTestHub(t)
	hub.MayHear = func(identity.Actor) bool { return true }
	s, err := hub.join(testActor(postgrestest.North))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range heard {
		if err := hub.receive(n); err != nil {
			t.Fatal(err)
		}
	}
	said := ""
	for _, w := range s.take().words {
		said += w.Text
	}
	if said != "Good morning." {
		t.Errorf("the hub passed on %q", said)
	}
}

// TestWordsAreHeardByWhomTheyAreSaidTo promises that somebody hears what is said to them, and nobody else does who may not hear
// everything.
func TestWordsAreHeardByWhomTheyAreSaidTo(t *testing.T) {
	hub, _ := newTestHub(t)
	hers, his := testActor(postgrestest.North), testActor(postgrestest.North)
	hers.ID, his.ID = "asha", "ravi"
	for _, tt := range []struct {
		whom string
		want int
	}{{"asha", 1}, {"ravi", 0}, {"", 0}} {
		s, err := hub.join(hers)
		if err != nil {
			t.Fatal(err)
		}
		other, err := hub.join(his)
		if err != nil {
			t.Fatal(err)
		}
		hub.speak(Words{Org: postgrestest.North, For: tt.whom, Run: someRun, Text: "Good morning."})
		if got := len(s.take().words); got != tt.want {
			t.Errorf("said to %q: she hears %d pieces, want %d", tt.whom, got, tt.want)
		}
		if got := len(other.take().words); tt.whom != "ravi" && got != 0 {
			t.Errorf("said to %q: he hears %d pieces", tt.whom, got)
		}
		hub.leave(hers, s)
		hub.leave(his, other)
	}
}
