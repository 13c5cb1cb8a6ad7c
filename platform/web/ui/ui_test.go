package ui_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

func html(t rapid.TB, c templ.Component) string {
	t.Helper()
	var buf bytes.Buffer
	if err := c.Render(context.Background(), &buf); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// page is a page in English of somebody who may do everything but what is named.
func page(t testing.TB, mayNot string) *web.Page {
	t.Helper()
	site, err := web.New(web.Config{May: func(_ identity.Actor, act string) error {
		if act == mayNot {
			return fault.New(fault.Refused, "no")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return site.Page(httptest.NewRequest("GET", "/", nil))
}

func TestAButtonIsWhatItDoes(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    ui.Button
		want []string
		not  string
	}{
		{"sends its form", ui.Button{Label: "File the report", Look: ui.Primary, Name: "do", Value: "file"},
			[]string{`<button class="btn btn-primary" type="submit" name="do" value="file"`, "File the report"}, "href"},
		{"leads somewhere", ui.Button{Label: "Open", Href: "/cases"}, []string{`<a class="btn" href="/cases"`}, "<button"},
		{"leads nowhere dangerous", ui.Button{Label: "Open", Href: `"><script>`}, []string{`href="&#34;&gt;&lt;script&gt;"`}, "<script"},
		{"cannot be pressed now", ui.Button{Label: "Send", Off: true}, []string{" disabled"}, ""},
		{"a link that cannot be followed now", ui.Button{Label: "Later", Href: "/x", Off: true}, []string{`aria-disabled="true"`,
			`role="link"`}, "href="},
		{"shows only its icon", ui.Button{Label: "More", Icon: "more", Bare: true}, []string{`aria-label="More"`, "btn-icon", "<svg"},
			">More<"},
		{"says more than it shows", ui.Button{Label: "Revoke", Said: "Revoke: roster import"},
			[]string{`aria-label="Revoke: roster import"`, "Revoke</button>"}, ""},
		{"is at work", ui.Button{Label: "Filing", Busy: true, Still: true}, []string{`aria-busy="true"`, `type="button"`}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := html(t, tt.b)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("got %s, want %s in it", got, want)
				}
			}
			if tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("got %s, want no %s", got, tt.not)
			}
		})
	}
}

var rects = regexp.MustCompile(`class="(band|pt)" x="([^"]+)" y="[^"]+" width="([^"]+)"`)

// TestARangeStaysOnItsTrack promises that the drawing of a range never leaves its
// track, whatever was computed, and that it is read aloud in numbers.
func TestARangeStaysOnItsTrack(t *testing.T) {
	p := page(t, "")
	rapid.Check(t, func(t *rapid.T) {
		num := rapid.Float64Range(-3, 3)
		low := num.Draw(t, "low")
		high := low + rapid.Float64Range(0, 3).Draw(t, "span")
		r := ui.Range{Value: rapid.Float64Range(low, high).Draw(t, "value"), Low: low, High: high}
		got := html(t, ui.Verdict(p, "Likely", r))
		found := rects.FindAllStringSubmatch(got, -1)
		if len(found) != 2 {
			t.Fatalf("got %s, want a band and a point", got)
		}
		for _, m := range found {
			x, errX := strconv.ParseFloat(m[2], 64)
			width, errW := strconv.ParseFloat(m[3], 64)
			if errX != nil || errW != nil || width < 0 || x < 0.5 || x+width > 89.5 {
				t.Fatalf("the %s is at %s and %s wide, of 90", m[1], m[2], m[3])
			}
		}
	})
	got := html(t, ui.VerdictShort(p, "Likely", ui.Range{Value: .78, Low: .64, High: .87}))
	for _, want := range []string{`aria-label="0.78, range 0.64 to 0.87"`, `x="57.0"`, `width="19.8"`, "<b>Likely</b> 0.78"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
}

func TestATableIsSortedByItsColumns(t *testing.T) {
	columns := []string{"source", "rows"}
	for in, want := range map[string]ui.Order{"": {By: "source"}, "rows": {By: "rows"}, "-rows": {By: "rows", Down: true}} {
		got, err := ui.ParseOrder(in, columns...)
		if err != nil || got != want {
			t.Errorf("%q is %+v, %v, want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{"nosuch", "--rows", "-", "rows;drop table x", strings.Repeat("r", 5000)} {
		if _, err := ui.ParseOrder(in, columns...); !fault.Is(err, fault.Invalid) || len(err.Error()) > 300 {
			t.Errorf("%.20q got %v, want it refused in few words", in, err)
		}
	}
	q := url.Values{"state": {"open"}, "before": {"case_1"}, "sort": {"rows"}}
	for _, tt := range []struct {
		order    ui.Order
		by       string
		sort, to string
	}{
		{ui.Order{By: "rows"}, "rows", "ascending", "-rows"},
		{ui.Order{By: "rows", Down: true}, "rows", "descending", "rows"},
		{ui.Order{By: "rows", Down: true}, "source", "", "source"},
	} {
		c := tt.order.Column("Title", tt.by, "/list", q)
		u, err := url.Parse(c.Href)
		if err != nil || u.Path != "/list" || u.Query().Get("sort") != tt.to || u.Query().Get("state") != "open" || u.Query().
			Has("before") || c.Sort != tt.sort {
			t.Errorf("by %s, sorted %s: got %+v", tt.by, tt.order, c)
		}
	}
	if q.Get("before") == "" {
		t.Error("the filter of the page was changed")
	}
	got := html(t, ui.Table("Sources", []ui.Column{ui.Order{By: "rows", Down: true}.Column("Rows", "rows", "/list", nil),
		{Title: "Act", Quiet: true}}))
	for _, want := range []string{`aria-sort="descending"`, `href="/list?sort=rows"`, `<span class="sr">Act</span>`,
		`tabindex="0" role="region" aria-label="Sources"`} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
}

func TestAPagerIsOnlyThereWhenThereIsMore(t *testing.T) {
	if got := html(t, ui.Pager{Label: "Pages", Back: ui.Link{Text: "Newest"}, Next: ui.Link{Text: "Older"}}); got != "" {
		t.Errorf("all is on one page, and it shows %s", got)
	}
	got := html(t, ui.Pager{Label: "Pages", Back: ui.Link{Text: "Newest"}, Next: ui.Link{Text: "Older", Href: "/x?before=1&state=open"}})
	if !strings.Contains(got, `rel="next" href="/x?before=1&amp;state=open"`) || strings.Contains(got, "Newest") {
		t.Errorf("on the first page it shows %s", got)
	}
}

func TestAListIsOfferedAsAFileToThoseWhoMayTakeItAway(t *testing.T) {
	if got := html(t, ui.Export(page(t, ""), "/v1/x?format=csv", "/v1/x")); !strings.Contains(got, `href="/v1/x?format=csv"`) ||
		!strings.Contains(got, "JSON") {
		t.Errorf("got %s", got)
	}
	if got := html(t, ui.Export(page(t, "list.export"), "/v1/x?format=csv", "/v1/x")); got != "" {
		t.Errorf("who may not is shown %s", got)
	}
}

func TestAFieldSaysWhatIsWrongWithIt(t *testing.T) {
	got := html(t, ui.LineOf(ui.Line{Field: ui.Field{ID: "why", Label: "Reason", Hint: "In a few words", Error: "say why"}, Name: "why",
		Value: `"typed"`, Most: "80", Must: true}))
	for _, want := range []string{`<label for="why">Reason</label>`, `aria-describedby="why-hint why-error"`, `aria-invalid="true"`,
		`id="why-error"`, "data-error", `value="&#34;typed&#34;"`, `maxlength="80"`, " required"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
	if got := html(t, ui.TextOf(ui.Line{Field: ui.Field{ID: "n", Label: "Note"}, Name: "n",
		Value: "</textarea><b>"})); strings.Contains(got, "aria-") || strings.Contains(got, "<b>") {
		t.Errorf("a field with nothing to say, holding markup, is %s", got)
	}
}

func TestWhatIsNotKnownIsShownAsPlainlyAsWhatIs(t *testing.T) {
	got := html(t, ui.TallyOf(page(t, ""), ui.Tally{For: 4}))
	for _, want := range []string{"<b>4</b> for", "<b>0</b> against", "<b>0</b> unknown"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
}

func TestStagesSayWhereACaseStands(t *testing.T) {
	got := html(t, ui.Stages{Label: "Lifecycle", List: []ui.Stage{
		{State: ui.StageDone, Name: "Opened", When: "13 Nov 20:58"}, {State: ui.StageWait, Name: "waited 14 h"},
		{State: ui.StageNow, Name: "Letters", Clock: web.Clock{Text: "due 17:30", Icon: "clock"}}, {State: ui.StageTodo, Name: "Closed"}}})
	for _, want := range []string{`<li class="done">`, `<li class="wait"><span>waited 14 h</span></li>`,
		`<li class="now" aria-current="step">`, "due 17:30", `<li class="todo">`} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
	if n := strings.Count(got, "aria-current"); n != 1 {
		t.Errorf("a case stands at %d stages at once", n)
	}
}

// TestWhatCannotBeTakenBackIsPressedTwice: the button is out of reach until what it means
// was opened, and it is said what it is about.
func TestWhatCannotBeTakenBackIsPressedTwice(t *testing.T) {
	ctx := templ.WithChildren(context.Background(), ui.Button{Label: "Revoke"})
	var buf bytes.Buffer
	if err := ui.Twice("Revoke", "roster import", "It cannot be given back.").Render(ctx, &buf); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`\s+`).ReplaceAllString(buf.String(), " ")
	if !regexp.MustCompile(`^<details class="fold"><summary>Revoke… <span class="sr">roster import</span></summary>.*given back.*<button.*</details>$`).MatchString(got) {
		t.Error(got)
	}
}
