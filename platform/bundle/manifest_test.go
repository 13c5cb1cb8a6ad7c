package bundle_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// TestAManifestThatContradictsItselfIsRefused promises that not even the
// institution's own key makes a manifest of something that is none.
func TestAManifestThatContradictsItselfIsRefused(t *testing.T) {
	s := bundletest.New(t)
	whole := bundletest.TakeApart(t, s.Export(t, s.Case(t, 7)))
	for name, change := range map[string]func(m *bundle.Manifest){
		"another form":           func(m *bundle.Manifest) { m.Format = "gavel-bundle/3" },
		"no case":                func(m *bundle.Manifest) { m.Case = "case_no" },
		"no organisation":        func(m *bundle.Manifest) { m.Org = "-" },
		"another log":            func(m *bundle.Manifest) { m.Origin = "elsewhere.test/log" },
		"no time":                func(m *bundle.Manifest) { m.MadeAt = time.Time{} },
		"a local time":           func(m *bundle.Manifest) { m.MadeAt = m.MadeAt.In(time.FixedZone("IST", 19800)) },
		"a section twice":        func(m *bundle.Manifest) { m.Sections = append(m.Sections, m.Sections[0]) },
		"a section of no name":   func(m *bundle.Manifest) { m.Sections[0].Name = "../case" },
		"a version of nothing":   func(m *bundle.Manifest) { m.Sections[0].Version = 0 },
		"files out of order":     func(m *bundle.Manifest) { m.Files[0], m.Files[1] = m.Files[1], m.Files[0] },
		"a file that leads out":  func(m *bundle.Manifest) { m.Files[0].Path = "../README.md" },
		"a file of fewer bytes":  func(m *bundle.Manifest) { m.Files[0].Size = -1 },
		"itself":                 func(m *bundle.Manifest) { m.Files[0].Path = "manifest.json" },
		"a file elsewhere":       func(m *bundle.Manifest) { m.Files[3].Section = "log" },
		"a file of no section":   func(m *bundle.Manifest) { m.Files[3].Section = "nowhere" },
		"a top file of sections": func(m *bundle.Manifest) { m.Files[0].Section = "case" },
	} {
		f := whole.Copy()
		m := f.Manifest(t)
		change(&m)
		f.SetManifest(t, m)
		rep := check(f.Pack(t), s.Public)
		said := fmt.Sprint(rep.Findings())
		if rep.Verdict() != bundle.Altered || !strings.Contains(said, "manifest.json") || rep.Case != "" {
			t.Errorf("%s: got %s, %s; want manifest.json refused", name, rep.Verdict(), said)
		}
	}
	for name, change := range map[string]func(text []byte) []byte{
		"other blanks": func(text []byte) []byte { return bytes.Replace(text, []byte("  "), []byte("\t"), 1) },
		"a field twice": func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"case"`), []byte(`"org": "south", "case"`), 1)
		},
		"an unknown field": func(text []byte) []byte { return bytes.Replace(text, []byte(`"case"`), []byte(`"more": 1, "case"`), 1) },
		"more behind it":   func(text []byte) []byte { return append(text, "{}\n"...) },
	} {
		f := whole.Copy()
		f.Files["manifest.json"] = change(bytes.Clone(f.Files["manifest.json"]))
		if rep := check(f.Pack(t), s.Public); rep.Verdict() != bundle.Altered || rep.Case != "" {
			t.Errorf("%s: got %s, want manifest.json refused", name, rep.Verdict())
		}
	}
}

// TestAFileThatASectionDoesNotKnowIsNotPassedOver promises that whoever signs it,
// a file nobody reads is named.
func TestAFileThatASectionDoesNotKnowIsNotPassedOver(t *testing.T) {
	s := bundletest.New(t)
	whole := bundletest.TakeApart(t, s.Export(t, s.Case(t, 7)))
	for _, section := range s.Exporter.Sections() {
		f := whole.Copy()
		name := section.Name + "/more.txt"
		f.Files[name] = []byte("more")
		f.FixViewer(t, f.Manifest(t))
		f.SignWith(t, s.Secret)
		rep := check(f.Pack(t), s.Public)
		if rep.Verdict() == bundle.Genuine || !strings.Contains(fmt.Sprint(rep.Findings()), name) {
			t.Errorf("%s: got %s, %v; want it named", name, rep.Verdict(), rep.Findings())
		}
	}
}

// TestAReportIsSafeToShow promises that what a bundle says about itself moves no
// cursor, turns no line around and does not go on for ever.
func TestAReportIsSafeToShow(t *testing.T) {
	rep := &bundle.Report{}
	c := rep.Check("claim", "much", "more")
	c.Saw("\x1b[2J%s", "\u202egenuine")
	for range 500 {
		c.Found("a\nfile", "%s", strings.Repeat("अ", 10_000))
	}
	if strings.ContainsAny(c.Seen+c.Findings[0].What, "\x1b\n\u202e") {
		t.Errorf("got %q and %q", c.Seen, c.Findings[0].What)
	}
	if len(c.Findings) != 100 || c.More != 400 || len(c.Findings[0].Text) > 1010 {
		t.Errorf("got %d findings of %d bytes and %d more", len(c.Findings), len(c.Findings[0].Text), c.More)
	}
	var out bytes.Buffer
	if err := rep.Write(&out, bundle.Explained); err != nil || !strings.Contains(out.String(), "- and 400 more") ||
		!strings.HasPrefix(out.String(), "ALTERED") {
		t.Errorf("got %v and %.200s", err, out.String())
	}
}
