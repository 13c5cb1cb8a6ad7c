package lawbook_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
)

// TestBandIsNamedAndNoStageIsInvoked holds the published bands, and that the words
// never claim that a stage is in force. 450 and 477 are the two indices of the
// example whose figures contradict each other.
func TestBandIsNamedAndNoStageIsInvoked(t *testing.T) {
	for aqi, want := range map[int]string{
		0: "", 200: "", 201: "I", 300: "I", 301: "II", 400: "II", 401: "III", 450: "III", 451: "IV", 477: "IV", 500: "IV",
	} {
		if got := lawbook.Band(aqi).String(); got != want {
			t.Errorf("%d: got %q, want %q", aqi, got, want)
		}
		for _, of := range []lawbook.Measure{lawbook.OneStation, lawbook.DelhiBulletin} {
			s, err := lawbook.BandSentence(aqi, of)
			if err != nil || want != "" && !strings.Contains(s, "lies in the Stage "+want+" band") || want == "" &&
				strings.Contains(s, "lies in") {
				t.Errorf("%d: got %q, %v", aqi, s, err)
			}
			for _, claim := range []string{"applies", "apply", "in force", "is invoked", "triggered"} {
				if strings.Contains(s, claim) {
					t.Errorf("%q claims that a stage is in force", s)
				}
			}
			if strings.Contains(s, "one station's") != (of == lawbook.OneStation) {
				t.Errorf("%q does not say whose index it is", s)
			}
		}
	}
	for _, aqi := range []int{-1, 501, 999} {
		if s, err := lawbook.BandSentence(aqi, lawbook.OneStation); err == nil {
			t.Errorf("%d: got %q, want it refused", aqi, s)
		}
	}
}

func hash(digit string) string { return strings.Repeat(digit, 64) }

func machine(fields []lawbook.Field, key string) string {
	i := slices.IndexFunc(fields, func(f lawbook.Field) bool { return f.Key == key && f.By == lawbook.Machine })
	if i < 0 {
		return "missing"
	}
	return fields[i].Value
}

// TestCertificateIsFilledInAndUnsigned promises both parts with device and hashes,
// and nothing written or ticked where a person swears, whatever is handed in.
func TestCertificateIsFilledInAndUnsigned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[A-Za-z0-9 ]{0,20}`)
		p := lawbook.Particulars{Device: lawbook.Device{Model: text.Draw(t, "model"), Serial: text.Draw(t, "serial"),
			Ident: text.Draw(t, "ident")}}
		for range rapid.IntRange(1, 5).Draw(t, "records") {
			p.Records = append(p.Records, lawbook.Record{Name: "r" + text.Draw(t, "name"),
				SHA256: hash(rapid.SampledFrom([]string{"0", "a", "f"}).Draw(t, "digit"))})
		}
		p.Outages = rapid.SliceOfN(text, 0, 3).Draw(t, "outages")
		c, err := lawbook.Prefill(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range [][]lawbook.Field{c.PartA, c.PartB} {
			for _, f := range part {
				if f.By != lawbook.Machine && f.Value != "" || len(f.Choices) > 0 && f.By != lawbook.Person {
					t.Fatalf("%+v was filled in for a person", f)
				}
			}
			if machine(part, "make_model") != p.Device.Model || machine(part, "serial_number") != p.Device.Serial ||
				machine(part, "identifier") != p.Device.Ident {
				t.Fatalf("the device is not in %+v", part)
			}
			for _, r := range p.Records {
				if !strings.Contains(machine(part, "hash_values"), r.Name+": SHA-256 "+r.SHA256) {
					t.Fatalf("record %v is not in %+v", r, part)
				}
			}
		}
		if !strings.Contains(c.Notices[0], "not signed") || len(c.Notices) != 4+len(p.Outages) {
			t.Fatalf("got %q", c.Notices)
		}
	})
}

// TestNoLogIsSpokenOfThatNobodyRead promises that outages that were not looked for do
// not pass for none.
func TestNoLogIsSpokenOfThatNobodyRead(t *testing.T) {
	for _, tt := range []struct {
		outages []string
		want    string
	}{{nil, "No log of the system was consulted"}, {[]string{}, "log shows no outage"},
		{[]string{"10:00 to 10:20"}, "log shows outages (1)"}} {
		c, err := lawbook.Prefill(lawbook.Particulars{Records: []lawbook.Record{{Name: "r", SHA256: hash("0")}}, Outages: tt.outages})
		if err != nil || !strings.Contains(c.Notices[3], tt.want) {
			t.Errorf("outages %#v: got %q, %v, want %q", tt.outages, c.Notices, err, tt.want)
		}
	}
}

// TestCertificateHasTheFormsFields holds the fields of the form's two parts.
func TestCertificateHasTheFormsFields(t *testing.T) {
	c, err := lawbook.Prefill(lawbook.Particulars{Records: []lawbook.Record{{Name: "report.json", SHA256: hash("0")}}})
	if err != nil {
		t.Fatal(err)
	}
	both := "name source make_model colour serial_number identifier hash_values hash_algorithm hash_report signature date time place"
	for part, want := range map[string]struct {
		fields []lawbook.Field
		keys   string
	}{
		"A": {c.PartA, both + " parentage address lawful_control regularly_fed working_properly not_affected relation"},
		"B": {c.PartB, both + " designation"},
	} {
		for key := range strings.FieldsSeq(want.keys) {
			n := 0
			for _, f := range want.fields {
				if f.Key == key {
					n++
				}
			}
			if n != 1 {
				t.Errorf("part %s has %d fields %s, want 1", part, n, key)
			}
		}
	}
	i := slices.IndexFunc(c.PartA, func(f lawbook.Field) bool { return f.Key == "source" })
	if got := len(c.PartA[i].Choices); got != 8 {
		t.Errorf("the form offers 8 sources, got %d", got)
	}
}

// TestCertificateWithoutProperHashesIsRefused promises that nobody signs for a
// record that cannot be recognised.
func TestCertificateWithoutProperHashesIsRefused(t *testing.T) {
	for name, records := range map[string][]lawbook.Record{
		"none":      nil,
		"short":     {{Name: "a", SHA256: "ab"}},
		"upper":     {{Name: "a", SHA256: hash("A")}},
		"no hex":    {{Name: "a", SHA256: hash("g")}},
		"no name":   {{SHA256: hash("a")}},
		"two lines": {{Name: "a\nb", SHA256: hash("a")}},
		"too many":  make([]lawbook.Record, 10_001),
	} {
		if _, err := lawbook.Prefill(lawbook.Particulars{Records: records}); err == nil {
			t.Errorf("%s: it was filled in", name)
		}
	}
	if _, err := lawbook.Prefill(lawbook.Particulars{Records: []lawbook.Record{{Name: "a", SHA256: hash("a")}},
		Device: lawbook.Device{Model: "x\ny"}}); err == nil {
		t.Error("a device of two lines was filled in")
	}
}
