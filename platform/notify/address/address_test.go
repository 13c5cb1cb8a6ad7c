package address_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/notify/address"
)

var (
	oldKey, newKey = bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	book           = address.Book{Domain: "mail.example", Inbound: "in.example", Keys: [][]byte{newKey, oldKey}}
)

const (
	caseID = "case_01KA0000000000000000000000"
	ref    = "CASE-A3F8B291"
)

func TestAReplyAddressIsWhatItWasGivenOutFor(t *testing.T) {
	if got, want := book.Reply("north", caseID, ref), "case+CASE-A3F8B291.ax5uj7gm7c@in.example"; got != want {
		t.Errorf("got %s, want %s: addresses in mails already sent must go on working", got, want)
	}
	was := address.Book{Inbound: "in.example", Keys: [][]byte{oldKey}}.Reply("north", caseID, ref)
	now := book.Reply("north", caseID, ref)
	for _, tt := range []struct {
		name, org, id, ref, local string
		want                      bool
	}{
		{"as made", "north", caseID, ref, now, true},
		{"its local part alone", "north", caseID, ref, strings.TrimSuffix(now, "@in.example"), true},
		{"in brackets", "north", caseID, ref, "<" + now + ">", true},
		{"in small letters", "north", caseID, ref, strings.ToLower(now), true},
		{"in capitals", "north", caseID, ref, strings.ToUpper(now), true},
		{"made with the key of before", "north", caseID, ref, was, true},
		{"another organisation", "south", caseID, ref, now, false},
		{"another case", "north", caseID[:30] + "1", ref, now, false},
		{"another reference", "north", caseID, "CASE-A3F8B292", now, false},
		{"another token", "north", caseID, ref, "case+CASE-A3F8B291.aaaaaaaaaa@in.example", false},
		{"no token", "north", caseID, ref, "case+CASE-A3F8B291@in.example", false},
		{"nothing", "north", caseID, ref, "", false},
	} {
		if got := book.Verify(tt.org, tt.id, tt.ref, tt.local); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
	if (address.Book{Inbound: "in.example", Keys: [][]byte{newKey}}).Verify("north", caseID, ref, was) {
		t.Error("a key that is gone still verifies")
	}
}

func TestWithoutAKeyOrADomainThereIsNoReplyAddress(t *testing.T) {
	for name, b := range map[string]address.Book{
		"no key":      {Inbound: "in.example"},
		"a short key": {Inbound: "in.example", Keys: [][]byte{[]byte("short")}},
		"no domain":   {Keys: [][]byte{newKey}},
		"a bad one":   {Inbound: "in example\r\nBcc: x@y", Keys: [][]byte{newKey}},
	} {
		if got := b.Reply("north", caseID, ref); got != "" {
			t.Errorf("%s: got %q", name, got)
		}
		if name != "no domain" && name != "a bad one" && b.Verify("north", caseID, ref, "case+CASE-A3F8B291.aaaaaaaaaa") {
			t.Errorf("%s: verified", name)
		}
	}
	for _, bad := range []string{"", "A B", "A\r\nB", strings.Repeat("A", 41), "-A", "क"} {
		if got := book.Reply("north", caseID, bad); got != "" {
			t.Errorf("reference %q: got %q", bad, got)
		}
	}
}

func TestSplitReadsWhatReplyWrote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		org := rapid.StringMatching(`[a-z]{2,10}`).Draw(t, "org")
		ref := rapid.StringMatching(`[A-Z0-9][A-Z0-9-]{0,39}`).Draw(t, "ref")
		addr := book.Reply(org, caseID, ref)
		if local, _, _ := strings.Cut(addr, "@"); len(local) > 64 {
			t.Fatalf("the local part of %s has %d octets", addr, len(local))
		}
		got, mac, ok := address.Split(addr)
		if !ok || got != ref || len(mac) != 10 || !book.Verify(org, caseID, ref, addr) {
			t.Fatalf("%s: got %s %s %v", addr, got, mac, ok)
		}
	})
}

func TestSplitRefusesEverythingElse(t *testing.T) {
	for _, bad := range []string{
		"", "@", "case", "case+", "case+A.@in.example", "case+A.abcdefghi1@in.example", "case+A.abcdefghij.k@in.example",
		"casex+A.abcdefghij@in.example", "case+A.abcdefghijk@in.example", "case+.abcdefghij@in.example", "x case+A.abcdefghij@in.example",
		"case+A\n.abcdefghij@in.example", "case+" + strings.Repeat("A", 41) + ".abcdefghij@in.example", "case+A.abcdefghij@" +
			strings.Repeat("x", 400),
	} {
		if ref, mac, ok := address.Split(bad); ok {
			t.Errorf("%q: got %s %s", bad, ref, mac)
		}
	}
}

func TestAMessageIDIsReadBack(t *testing.T) {
	id := address.NewMessageID("Mail.Example", [16]byte{0x1a, 0x2b, 0x3c, 0x4d, 0xff})
	if want := "<MSG-1A2B3C4D.ff0000000000000000000000@mail.example>"; id != want {
		t.Errorf("got %s, want %s", id, want)
	}
	for _, form := range []string{id, strings.Trim(id, "<>"), " " + strings.ToLower(id) + "\t"} {
		mark, domain, ok := address.ParseMessageID(form)
		if !ok || mark != "MSG-1A2B3C4D" || domain != "mail.example" {
			t.Errorf("%q: got %s %s %v", form, mark, domain, ok)
		}
	}
	for _, bad := range []string{"", "<>", "<MSG-1A2B3C4D@mail.example>", "<abc@mail.example>", "<MSG-1A2B3C4D.ff0000000000000000000000@>",
		"<MSG-1A2B3C4D.ff0000000000000000000000@a..b>", "<MSG-1A2B3C4D.ff0000000000000000000000@a\r\nb>", strings.Repeat("x", 1000)} {
		if mark, domain, ok := address.ParseMessageID(bad); ok {
			t.Errorf("%q: got %s %s", bad, mark, domain)
		}
	}
	if got, want := address.Bare(" <a@b> "), "a@b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
