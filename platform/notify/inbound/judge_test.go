package inbound_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
)

// allRoutes are the routes of the cases A, B and C.
func allRoutes() []notify.Route {
	var all []notify.Route
	for name, keys := range map[string][]string{
		"A": {notify.ReplyKey(replyA), notify.ReplyKey(oldA), notify.IDKey(sentA)},
		"B": {notify.ReplyKey(replyB), notify.IDKey(sentB)},
		"C": {notify.ReplyKey(replyC), notify.IDKey(sentC)},
	} {
		for _, key := range keys {
			all = append(all, notify.Route{Key: key, Org: cases[name].org, Case: cases[name].id})
		}
	}
	return all
}

// asked are the routes that a mail asks for and there are.
func asked(keys []string) (found []notify.Route) {
	for _, r := range allRoutes() {
		if slices.Contains(keys, r.Key) {
			found = append(found, r)
		}
	}
	return found
}

// TestNothingIsBelievedWithoutAllThatProvesIt promises, for mails put together at
// random, that a person's mail is believed only where a token or an id of ours
// leads to its case, its sender is known there and its domain stands behind it.
func TestNothingIsBelievedWithoutAllThatProvesIt(t *testing.T) {
	rules := testRules()
	believed := 0
	judge := func(t *rapid.T) {
		pick := func(what string, from ...string) string { return rapid.SampledFrom(from).Draw(t, what) }
		to := pick("to", replyA, oldA, forgedA, replyB, replyC, plainIn, replyA+", "+replyB, "case+GEN-A3F8B291.aaaaaaaaaa@in.gavel.test")
		answers := pick("answers", "", "In-Reply-To: <"+sentA+">", "References: <"+sentB+"> <x@y>", "In-Reply-To: <"+sentA+"> <"+sentB+">",
			"In-Reply-To: <MSG-AAAA0001.000000000000000000000000@mail.gavel.test>")
		auth := pick("auth", proven, proven, proven, "", "mx.elsewhere.test; dmarc=pass header.from=riders.test",
			"mx.gavel.test; dmarc=fail header.from=riders.test")
		mark := pick("mark", "X-Nothing: 1", "X-Nothing: 1", "X-Nothing: 1", "Auto-Submitted: auto-replied", "List-Id: <a.b>",
			"Precedence: bulk")
		words := pick("words", "I moved.", "I moved.", "I moved.", "> quoted", "")
		from := pick("from", asha, asha, asha, "zed@elsewhere.test", asha+">, <b@riders.test")
		known := rapid.Bool().Draw(t, "known")
		raw := draft{name: "r", from: from, to: to, subject: "Re", auth: auth, fields: slices.DeleteFunc([]string{answers, mark},
			func(s string) bool { return s == "" }), body: inQP("text/plain", words)}.eml()
		l := letter.Parse([]byte(raw))
		kind, _ := l.Kind(letter.Own{Domain: rules.Book.Domain, Inbound: rules.Book.Inbound, From: rules.From})
		v := rules.Judge(l, kind, rules.Find(l, kind, asked(rules.Keys(l, kind))), known)

		good := slices.Contains([]string{replyA, oldA, replyB, replyC}, to) || to == plainIn && (strings.HasPrefix(answers, "References") ||
			answers == "In-Reply-To: <"+sentA+">")
		want := good && auth == proven && mark == "X-Nothing: 1" && words == "I moved." && from == asha && known
		if got := v.State == inbound.Accepted; got != want {
			t.Fatalf("believed %v, want %v: %+v\n%s", got, want, v, raw)
		}
		if v.State == inbound.Accepted {
			believed++
		}
		if (v.State == inbound.Accepted || v.State == inbound.Held) && v.Place == (inbound.Place{}) {
			t.Fatalf("%s without a case: %+v", v.State, v)
		}
		if (v.Reason == "") != (v.State == inbound.Accepted) {
			t.Fatalf("a reason is missing, or one too many: %+v", v)
		}
	}
	for range 100 { // one mail in forty is believed: a hundred of them may hold none
		rapid.Check(t, judge)
		if believed > 0 || t.Failed() {
			return
		}
	}
	t.Error("nothing was believed: this test proves nothing")
}

func TestTheOrderOfMatchingIsTokenThenIDThenNothing(t *testing.T) {
	rules := testRules()
	for _, tt := range []struct {
		name, to, fields string
		match            inbound.Match
		of               string
		several, wrong   bool
	}{
		{"a token goes before an id", replyA, "In-Reply-To: <" + sentB + ">", inbound.ByToken, "A", false, false},
		{"the id that is answered goes before those before it", plainIn, "In-Reply-To: <" + sentA + ">\r\nReferences: <" + sentB + ">",
			inbound.ByID, "A", false, false},
		{"of references the nearest counts", plainIn, "References: <" + sentA + "> <" + sentB + "> <unknown@x>", inbound.ByID, "B", false,
			false},
		{"a forged token leaves the id", forgedA, "In-Reply-To: <" + sentA + ">", inbound.ByID, "A", false, true},
		{"a token of another case is none", strings.Replace(replyA, "A3F8B291", "B7C2D4E5", 1), "X-A: b", inbound.Nowhere, "", false, true},
		{"two tokens are no answer", replyA + ", " + replyC, "X-A: b", inbound.Nowhere, "", true, false},
		{"the same token twice is one", replyA + ", " + strings.ToUpper(replyA), "X-A: b", inbound.ByToken, "A", false, false},
		{"and so are two of one case", replyA + ", " + oldA, "X-A: b", inbound.ByToken, "A", false, false},
	} {
		l := letter.Parse([]byte(draft{name: "x", from: asha, to: tt.to, subject: "s", fields: []string{tt.fields}, body: "\nwords"}.eml()))
		f := rules.Find(l, letter.Written, asked(rules.Keys(l, letter.Written)))
		if f.Match != tt.match || f.Place.Case != cases[tt.of].id || f.Several != tt.several || f.WrongToken != tt.wrong {
			t.Errorf("%s: got %+v", tt.name, f)
		}
	}
}

func TestTagsAreReferencesInBrackets(t *testing.T) {
	for subject, want := range map[string]string{
		"Re: Your vanpool [GEN-A3F8B291]":                        "[GEN-A3F8B291]",
		"[gp-2026-0001] [CAQM-2026-11-14-001] x":                 "[GP-2026-0001 CAQM-2026-11-14-001]",
		"Re: GEN-A3F8B291":                                       "[]",
		"[EXTERNAL] hello [URGENT]":                              "[]",
		"[GEN-A3F8B291][GEN-A3F8B291]":                           "[GEN-A3F8B291]",
		strings.Repeat("[A-1]", 3) + "[B-1][C-1][D-1][E-1][F-1]": "[A-1 B-1 C-1]",
	} {
		if got := fmt.Sprint(inbound.Tags(subject)); got != want {
			t.Errorf("%q: got %s, want %s", subject, got, want)
		}
	}
}
