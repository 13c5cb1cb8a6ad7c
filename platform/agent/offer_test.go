package agent

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAnOfferedValueIsCleanInItsFieldOnly(t *testing.T) {
	brief := node{Offers: []Offer{
		{Field: "pay.to.account", Values: []string{"acc-1", "acc-2"}},
		{Field: "pay.riders", Values: []string{"r-1", "r-2"}},
		{Field: "pay.amount", Values: []string{"12"}},
		{Field: "pay.final", Values: []string{"true"}},
	}}
	for _, tt := range []struct {
		name, tool, args string
		tainted          bool
	}{
		{"each in its field", "pay", `{"to":{"account":"acc-2"},"riders":["r-1","r-2"],"amount":12,"final":true,"note":null}`, false},
		{"a value of another field", "pay", `{"to":{"account":"r-1"}}`, true},
		{"a value of another field in a list", "pay", `{"riders":["r-1","acc-1"]}`, true},
		{"a number for another field", "pay", `{"riders":[12]}`, true},
		{"a switch that another field may turn", "pay", `{"final":true,"urgent":true}`, true},
		{"the field one level up", "pay", `{"account":"acc-1"}`, true},
		{"the field one level down", "pay", `{"riders":{"id":"r-1"}}`, true},
		{"the same field of another tool", "refund", `{"to":{"account":"acc-1"}}`, true},
		{"a name that spells the path", "pay", `{"to.account":"acc-1"}`, true},
		{"nothing", "pay", `{}`, false},
		{"no JSON", "pay", `{`, true},
	} {
		if got := tainted(tt.tool, []byte(tt.args), chain(nil).offers(brief)); got != tt.tainted {
			t.Errorf("%s: tainted is %t", tt.name, got)
		}
	}
}

// TestATranscriptFromBeforeValuesHadAFieldIsJudgedAsThen promises that a run which
// began then is ruled, and replayed, as it was, and that its nodes keep their bytes.
func TestATranscriptFromBeforeValuesHadAFieldIsJudgedAsThen(t *testing.T) {
	const old = `{"answer":{"role":"assistant"},"offered":["known"]}`
	var n node
	if err := json.Unmarshal([]byte(old), &n); err != nil {
		t.Fatal(err)
	}
	if again, err := canonical(n); err != nil || string(again) != old {
		t.Errorf("its bytes are %s, %v", again, err)
	}
	for args, want := range map[string]bool{`{"word":"known"}`: false, `{"other":{"field":"known"}}`: false, `{"word":"new"}`: true} {
		if got := tainted("post", []byte(args), chain{n}.offers(node{})); got != want {
			t.Errorf("%s: tainted is %t", args, got)
		}
	}
	bound := node{Offers: []Offer{{Field: "post.word", Values: []string{"new"}}}}
	if all := (chain{n}).offers(bound); !all.cover("post.word", "new") || all.cover("fax.word", "new") || !all.cover("fax.word", "known") {
		t.Error("what is offered later in such a run is not bound to its field")
	}
}

func TestABriefOffersNoMoreThanIsKept(t *testing.T) {
	many := make([]string, maxOffered+1)
	for name, all := range map[string][]Offer{
		"values":       {{Field: "post.word", Values: many}},
		"in all":       {{Field: "post.word", Values: many[:maxOffered]}, {Field: "fax.word", Values: many[:1]}},
		"a long value": {{Field: "post.word", Values: []string{strings.Repeat("x", maxOffer+1)}}},
		"a long field": {{Field: strings.Repeat("x", maxOffer+1)}},
	} {
		if offerable(all) == nil {
			t.Errorf("%s: was offered", name)
		}
	}
	if err := offerable([]Offer{{Field: "post.word", Values: many[:maxOffered]}}); err != nil {
		t.Error(err)
	}
}
