package web_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/platform/web"
)

func TestARegionAnswersByItsTag(t *testing.T) {
	s := newStand(t, nil)
	text := "first"
	s.handle("GET /region", func(w http.ResponseWriter, r *http.Request) error {
		p := s.site.Page(r)
		return s.site.Region(w, r, p, web.Region{ID: "r", Object: "case_1", Version: 7, Src: "/region", Body: body(text)})
	})
	first := s.ask("GET", "/region", "", "Gavel-Region", "1")
	tag := first.Header().Get("ETag")
	for _, want := range []string{`data-live="case_1"`, `data-version="7"`, `data-src="/region"`, "data-etag=", "first"} {
		if !strings.Contains(first.Body.String(), want) {
			t.Errorf("the region lacks %s", want)
		}
	}
	if got := first.Header().Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("Cache-Control is %q", got)
	}
	for _, tt := range []struct {
		match string
		want  int
	}{
		{tag, 304}, {"W/" + tag, 304}, {`"other", ` + tag, 304}, {"*", 304}, {`"other"`, 200}, {"", 200},
	} {
		w := s.ask("GET", "/region", "", "HX-Request", "true", "If-None-Match", tt.match)
		if w.Code != tt.want || (tt.want == 304) != (w.Body.Len() == 0) {
			t.Errorf("If-None-Match %s got %d with %d bytes, want %d", tt.match, w.Code, w.Body.Len(), tt.want)
		}
	}
	text = "second"
	if w := s.ask("GET", "/region", "", "Gavel-Region", "1", "If-None-Match", tag); w.Code != 200 || w.Header().Get("ETag") == tag {
		t.Errorf("changed, the region got %d under the same tag", w.Code)
	}
	whole := s.ask("GET", "/region", "")
	if !strings.Contains(whole.Body.String(), "<html") || whole.Header().Get("Cache-Control") != "no-store" {
		t.Error("asked for by a browser, a region is a whole page that is not stored")
	}
}

func TestATemplateThatFailsIsAnErrorPageAndNotHalfAPage(t *testing.T) {
	s := newStand(t, nil)
	broken := templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, _ = io.WriteString(w, "half a page")
		return errors.New("template broke")
	})
	s.handle("GET /broken", func(w http.ResponseWriter, r *http.Request) error {
		return s.site.Render(w, r, http.StatusOK, s.site.Page(r), broken)
	})
	w := s.ask("GET", "/broken", "")
	if w.Code != 500 || strings.Contains(w.Body.String(), "half a page") {
		t.Errorf("got %d", w.Code)
	}
}
