package gallery_test

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/gallery"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// handler serves the gallery to an officer, at a moment that does not pass.
func handler(t *testing.T) http.Handler {
	t.Helper()
	site, err := web.New(web.Config{
		Actor: func(context.Context) identity.Actor {
			return identity.Actor{Kind: identity.Person, ID: "p1", Name: "S. Rao", Org: "north", Roles: []identity.Role{identity.Officer}}
		},
		Organisation: func(context.Context, identity.Org) (web.Organisation, error) {
			return web.Organisation{Name: "Directorate of Public Programmes"}, nil
		},
		Now: func() time.Time { return time.Date(2026, 11, 14, 8, 32, 0, 0, time.UTC) }, May: policy.Standard().May,
		Messages: []fs.FS{gallery.Messages()}, Search: "/search", Demo: true,
		Nav: []web.NavItem{
			{Section: "inbox", Key: "gallery.awaiting", Path: "/inbox", Icon: "inbox", Live: "inbox",
				Count: func(context.Context, identity.Actor) (int, error) { return 12, nil }},
			{Section: "components", Key: "gallery.title", Path: gallery.Path, Icon: "case"},
			{Section: "table", Key: "gallery.table", Path: "/table", Icon: "source"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	web.NewHub(site).Routes(mux)
	gallery.Routes(mux)
	return site.Handler(mux)
}

func TestEveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	webtest.Messages(t, ".", gallery.Messages())
}

// TestTheGalleryShowsEveryComponent promises that no class of the stylesheet's
// components goes unshown, in either language.
func TestTheGalleryShowsEveryComponent(t *testing.T) {
	h := handler(t)
	for _, lang := range web.Languages() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", gallery.Path+"?lang="+string(lang), nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s got %d", lang, w.Code)
		}
		shown := map[string]bool{}
		for _, m := range regexp.MustCompile(`class="([^"]*)"`).FindAllStringSubmatch(w.Body.String(), -1) {
			for _, class := range strings.Fields(m[1]) {
				shown[class] = true
			}
		}
		for _, want := range strings.Fields(`btn btn-primary btn-danger btn-quiet btn-l btn-icon btn-group badge ok warn bad info draft weighty plain
			count hot app chip verdict interval clock soon late fact computed quoted assumed is-checked is-open unsourced tally field hint error input check
			notice tabs fold menu pager empty skeleton table-wrap num is-hit stages done now todo wait after notes note green yellow steps dot gap
			toast summary redact dialog-foot decision is-stale slots slot signed banner grave live code swatches iconset`) {
			if !shown[want] {
				t.Errorf("in %q nothing has the class %s", lang, want)
			}
		}
		if strings.Contains(w.Body.String(), "gallery.") {
			t.Errorf("in %q a text is missing: the page shows its key", lang)
		}
	}
}

// TestAChangedPictureIsNoticed promises that the comparison sees what a person
// would: another colour of a badge, a missing icon, a moved line; and not the edge
// of a letter.
func TestAChangedPictureIsNoticed(t *testing.T) {
	page := func(change func(*image.RGBA)) *image.RGBA {
		img := image.NewRGBA(image.Rect(0, 0, 360, 240))
		fill := func(r image.Rectangle, c color.Color) {
			draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
		}
		fill(img.Rect, color.White)
		fill(image.Rect(20, 40, 120, 60), color.RGBA{0xe5, 0xf3, 0xe9, 255}) // a badge
		fill(image.Rect(20, 120, 340, 122), color.Black)                     // a line
		if change != nil {
			change(img)
		}
		return shrink(img)
	}
	put := func(r image.Rectangle, c color.Color) func(*image.RGBA) {
		return func(img *image.RGBA) { draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src) }
	}
	sections := map[string]image.Rectangle{"badges": image.Rect(0, 30, 360, 100), "lines": image.Rect(0, 100, 360, 240)}
	for _, tt := range []struct {
		name   string
		change func(*image.RGBA)
		want   string // part of what is said; empty if nothing is
	}{
		{"nothing", nil, ""},
		{"the edge of a letter", put(image.Rect(200, 200, 202, 203), color.Gray{200}), ""},
		{"a badge of another colour", put(image.Rect(20, 40, 120, 60), color.RGBA{0xfb, 0xd0, 0xc6, 255}), "in #badges"},
		{"a moved line", func(img *image.RGBA) {
			put(image.Rect(20, 120, 340, 122), color.White)(img)
			put(image.Rect(20, 132, 340, 134), color.Black)(img)
		}, "in #lines"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := differ(page(tt.change), page(nil), sections)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want something with %q", got, tt.want)
			}
		})
	}
	if got := differ(shrink(image.NewRGBA(image.Rect(0, 0, 360, 300))), page(nil), nil); !strings.Contains(got, "360 by 300") {
		t.Errorf("a longer page: got %q", got)
	}
}
