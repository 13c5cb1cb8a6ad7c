package web

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// checkTimeout bounds one readiness check.
const checkTimeout = 2 * time.Second

// readyFor is how long a readiness answer is reused, so that asking often does
// not become a load on the parts.
const readyFor = time.Second

// A Check looks at one part the site cannot work without.
type Check struct {
	Name string                      // the part, as an operator knows it
	Run  func(context.Context) error // nil when the part answers; must heed its context
	Fix  string                      // what to do when it does not: a command or an address

	// Optional is for a part whose absence people can work through: it is shown,
	// and does not make the server unready.
	Optional bool
}

// A Finding is what a check found.
type Finding struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Must  bool   `json:"required"`
	Error string `json:"error,omitempty"` // only what may be shown to anybody; the log has the rest
	Fix   string `json:"fix,omitempty"`
	Took  string `json:"took"`
}

// Health answers whether the process is alive and whether it is ready to work.
type Health struct {
	site   *Site
	checks []Check

	mu       sync.Mutex
	findings []Finding
	asked    time.Time
}

// NewHealth makes the health pages of a site.
func NewHealth(site *Site, checks []Check) *Health { return &Health{site: site, checks: checks} }

// HealthNav is the readiness page's line in the rail, for those who look after
// the installation.
func HealthNav() NavItem {
	return NavItem{Section: "health", Key: "health.nav", Path: "/readyz", Icon: "source", Act: "health.read"}
}

// Routes registers /healthz and /readyz.
func (h *Health) Routes(m *Mux) {
	m.Handle("GET /healthz", h.alive, Public("a supervisor asks it"))
	m.Handle("GET /readyz", h.ready, Public("a balancer asks it; it names parts and no secrets"))
}

// alive says only that the process serves requests; it looks at no other part,
// so that a broken database never makes a supervisor restart us in a loop.
func (h *Health) alive(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write([]byte("{\"status\":\"alive\"}\n"))
	return err
}

func (h *Health) ready(w http.ResponseWriter, r *http.Request) error {
	findings := h.look(r.Context())
	closing := h.closing()
	status, word := http.StatusOK, "ready"
	if closing || failing(findings) {
		status, word = http.StatusServiceUnavailable, "not ready"
		w.Header().Set("Retry-After", retryAfter[fault.Unavailable])
	}
	if !wantsPage(r) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		return json.NewEncoder(w).Encode(struct {
			Status  string    `json:"status"`
			Closing bool      `json:"closing"`
			Checks  []Finding `json:"checks"`
		}{word, closing, findings})
	}
	p := h.site.Page(r)
	p.Title, p.Section = p.T("health.title"), "health"
	return h.site.Render(w, r, status, p, healthBody(p, findings, status == http.StatusOK))
}

func (h *Health) closing() bool {
	select {
	case <-h.site.closing:
		return true
	default:
		return false
	}
}

// look runs every check at once, or gives what it found a moment ago.
func (h *Health) look(ctx context.Context) []Finding {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.findings != nil && time.Since(h.asked) < readyFor {
		return h.findings
	}
	findings := make([]Finding, len(h.checks))
	var wg sync.WaitGroup
	for i, check := range h.checks {
		wg.Go(func() { findings[i] = h.run(context.WithoutCancel(ctx), check) })
	}
	wg.Wait()
	h.findings, h.asked = findings, time.Now()
	return findings
}

// run does one check and does not wait for one that ignores its context.
func (h *Health) run(ctx context.Context, check Check) Finding {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	start := time.Now()
	done := make(chan error, 1)
	go func() { done <- check.Run(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = fault.New(fault.Unavailable, "no answer within %s", checkTimeout)
	}
	f := Finding{Name: check.Name, OK: err == nil, Must: !check.Optional, Took: max(time.Millisecond, time.Since(start).
		Round(time.Millisecond)).String()}
	if err != nil {
		f.Error, _ = fault.Words(known(err))
		f.Fix = check.Fix
		h.site.cfg.Log.WarnContext(ctx, "a part does not answer", "part", check.Name, "error", err)
	}
	return f
}

func failing(findings []Finding) bool {
	for _, f := range findings {
		if f.Must && !f.OK {
			return true
		}
	}
	return false
}
