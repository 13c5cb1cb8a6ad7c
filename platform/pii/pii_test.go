package pii_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/pii"
	"github.com/gavelhq/gavel/platform/pii/piitest"
)

// atLeast is the recall that is promised, by kind; the other kinds are promised nothing but their precision.
var atLeast = map[pii.Kind]float64{
	pii.Aadhaar: 0.99, pii.PAN: 0.99, pii.Mobile: 0.99, pii.Email: 0.99, pii.UPI: 0.99, pii.Handle: 0.99, pii.Name: 0.9,
}

const precision = 0.95

// A score is what a run over the suite came to, for one kind.
type score struct{ hits, found, spans, right int }

// TestTheSuiteIsFoundAndWhatLooksLikeItIsLeft promises recall and precision for each kind, on several
// draws of a suite that knows nothing of the rules.
func TestTheSuiteIsFoundAndWhatLooksLikeItIsLeft(t *testing.T) {
	scores := map[pii.Kind]*score{}
	for _, kind := range pii.Kinds() {
		scores[kind] = &score{}
	}
	for seed := range uint64(4) {
		for _, c := range slices.Concat(piitest.Positives(seed, 250), piitest.Negatives(seed, 250)) {
			tally(t, scores, c)
		}
	}
	for _, kind := range pii.Kinds() {
		s := scores[kind]
		recall, right := float64(s.found)/float64(s.hits), float64(s.right)/float64(max(s.spans, 1))
		t.Logf("%-16s recall %.4f of %d, precision %.4f of %d", kind, recall, s.hits, right, s.spans)
		if recall < atLeast[kind] || recall < 0.5 {
			t.Errorf("%s: got a recall of %.4f of %d, want %.2f", kind, recall, s.hits, atLeast[kind])
		}
		if right < precision {
			t.Errorf("%s: got a precision of %.4f of %d, want %.2f", kind, right, s.spans, precision)
		}
	}
}

// tally counts a text: a hit is found if one span of its kind covers it, a span is right if it lies on a
// hit of its kind.
func tally(t *testing.T, scores map[pii.Kind]*score, c piitest.Case) {
	spans := pii.Find(c.Text)
	shown := func(what string) {
		if testing.Verbose() {
			t.Logf("%s %s: %q, %v", what, c.Like, c.Text, spans)
		}
	}
	for _, h := range c.Hits {
		s := scores[pii.Kind(h.Kind)]
		s.hits++
		if slices.ContainsFunc(spans,
			func(sp pii.Span) bool { return string(sp.Kind) == h.Kind && sp.Start <= h.Start && h.End <= sp.End }) {
			s.found++
		} else {
			shown("missed")
		}
	}
	for _, sp := range spans {
		s := scores[sp.Kind]
		s.spans++
		if slices.ContainsFunc(c.Hits,
			func(h piitest.Hit) bool { return h.Kind == string(sp.Kind) && h.Start < sp.End && sp.Start < h.End }) {
			s.right++
		} else {
			shown("wrong " + string(sp.Kind))
		}
	}
}

func TestSpansSayWhereAndWhat(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"UID 2341 2341 2346 was seen", "UID [aadhaar] was seen"},
		{"234123412346 144", "[aadhaar] 144"},
		{"2341 2341 2347", "2341 2341 2347"}, // the last digit does not fit
		{"२३४१ २३४१ २३४६ मिला", "[aadhaar] मिला"},
		{"꯲꯳꯴꯱꯲꯳꯴꯱꯲꯳꯴꯶", "[aadhaar]"},
		{"2341\u200b2341\u200d2346", "[aadhaar]"},
		{"aadhaar_234123412346", "aadhaar_[aadhaar]"},
		{"XXXX-XXXX-2346", "[aadhaar_masked]"},
		{"call9876543210now", "call[mobile]now"},
		{"(+91) 98765-43210.", "[mobile]."},
		{"93.9876543210", "93.9876543210"},
		{"9876543210@ybl", "[upi]"},
		{"to=a.b%40example.org&x", "to=[email]&x"},
		{"PAN ABCPK1234L", "PAN [pan]"},
		{"ABCDE1234F", "ABCDE1234F"}, // nobody holds a D
		{"by @some_one, at 5", "by [handle], at 5"},
		{"https://www.facebook.com/profile.php?id=100012345678901 said", "[handle] said"},
		{"netflix.com/title", "netflix.com/title"},
		{"u=https%3A%2F%2Fx.com%2Fsomeone", "u=[handle]"},
		{"passport K1234567", "passport [passport]"},
		{"file K1234567", "file K1234567"},
		{"MN 01 AB 1234", "[vehicle]"},
		{"A/c 123456789012", "A/c [bank_account]"},
		{"from 203.0.113.7, later", "from [ip], later"},
		{"version 4.12.0.3", "version 4.12.0.3"},
		{"Shri Thoiba Singh said", "Shri [name] said"},
		{"Shri Govindajee Temple", "Shri Govindajee Temple"},
		{"Tomba Das, s/o Anil Das, aged 34", "[name], s/o [name], aged 34"},
		{"L. Ibomcha Singh (45) S/o (L) Tomba Singh of Lamka", "[name] (45) S/o (L) [name] of Lamka"},
		{"Ngam Ao, son of late Tomba Ao", "[name], son of late [name]"},
		{"Ngam Ao s/o a farmer", "[name] s/o a farmer"},
		{"Internet stayed on w/o a break", "Internet stayed on w/o a break"},
		{"Candidates aged 21 may apply", "Candidates aged 21 may apply"}, // nobody in particular
		{"a man aged 34 years", "a man [person]"},
		{"श्री राजेश कुमार ने", "श्री [name] ने"},
		{"श्री मोइरांगथेम राजेश सिंह ने", "श्री [name] ने"},
		{"", ""},
		{"nothing to see here, 12 of 2026", "nothing to see here, 12 of 2026"},
	} {
		if got := pii.Mask(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestWhatIsFoundIsCountedAndNotKept promises that all that is left of a hit is its kind and a number.
func TestWhatIsFoundIsCountedAndNotKept(t *testing.T) {
	spans := pii.Find("write a@example.org or b@example.org, 9876543210")
	if got := pii.Count(spans); got[pii.Email] != 2 || got[pii.Mobile] != 1 || len(got) != 2 {
		t.Errorf("got %v, want two mailboxes and a telephone", got)
	}
	if got := fmt.Sprintf("%+v", spans); strings.Contains(got, "example") || strings.Contains(got, "9876543210") {
		t.Errorf("a span holds what was found: %s", got)
	}
}
