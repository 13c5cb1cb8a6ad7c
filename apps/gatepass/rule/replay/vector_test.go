package replay_test

import (
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
)

var update = flag.Bool("update", false, "write the golden vectors anew")

// A vector is one event of a device, as the program at the gate must sign it.
type vector struct {
	Name   string        `json:"name"`
	Public string        `json:"public_key"`
	Text   string        `json:"text"`
	Digest replay.Digest `json:"digest"` // what the next event is chained to
}

// TestEventsAreThoseOfTheVectors promises the very bytes of an exit and of the return that is chained to it, and that they are applied.
func TestEventsAreThoseOfTheVectors(t *testing.T) {
	const file = "testdata/vectors.json"
	a := book{name: "A"}
	var made []vector
	for _, v := range []struct {
		name, text string
	}{
		{"an exit", a.write(t, one, pass.ScanExit, at(10))},
		{"a return with an item", a.write(t, one, pass.ScanReturn, at(50), func(e *replay.Event) {
			e.Items = []item.Back{{Item: "1", Quantity: item.One / 2, Condition: item.Broken}}
		})},
		{"an exit without a photo", a.write(t, "GP-2026-0002", pass.ScanExit, at(55), func(e *replay.Event) {
			e.Photo, e.Reason = "", "कैमरा खराब"
		})},
	} {
		made = append(made, vector{v.name, hex.EncodeToString(device("A").Key), v.text, replay.DigestOf(v.text)})
	}
	if *update {
		text, err := json.MarshalIndent(made, "", "  ")
		if err == nil {
			err = os.WriteFile(file, append(text, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var golden []vector
	if err := json.Unmarshal(text, &golden); err != nil || !reflect.DeepEqual(golden, made) {
		t.Fatalf("got %+v, want %+v, %v", made, golden, err)
	}
	h := history()
	f := facts()
	f.Items = []item.Item{{ID: "1", Quantity: item.One / 2, Returnable: true}}
	h.Passes[one] = f
	if rep := merge(t, &h, at(60), golden[0].Text, golden[1].Text, golden[2].Text); fates(rep) != "applied, applied, applied" {
		t.Errorf("got %s", fates(rep))
	}
}
