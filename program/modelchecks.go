package program

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/model/wire"
	"github.com/gavelhq/gavel/program/config"
)

// modelChecks ask every route's server for its list of models: that costs no
// token, and tells whether the address and the key are right.
func modelChecks(cfg *config.Config) []doctor.Check {
	const group = "Models"
	if len(cfg.Models) == 0 {
		return []doctor.Check{{Group: group, Name: "are configured", Run: func(context.Context) doctor.Result {
			return doctor.Result{Status: doctor.OK, Detail: "none: agents do not work, everything else does"}
		}}}
	}
	var all []doctor.Check
	for _, r := range cfg.Models {
		all = append(all, doctor.Check{Group: group, Name: "route " + r.Name + " answers", Run: func(ctx context.Context) doctor.Result {
			return askRoute(ctx, r, cfg.ModelsFile)
		}})
	}
	return all
}

// listOf is where a route's server lists its models.
func listOf(r config.ModelRoute) string {
	if r.Provider == config.Anthropic {
		return cmp.Or(r.BaseURL, "https://api.anthropic.com") + "/v1/models"
	}
	return cmp.Or(r.BaseURL, "https://api.openai.com/v1") + "/models"
}

func askRoute(ctx context.Context, r config.ModelRoute, file string) doctor.Result {
	address := listOf(r)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return doctor.Result{Status: doctor.Fail, Detail: "the address cannot be asked", Fix: "correct base_url of route " + r.Name +
			" in " + file}
	}
	if key := r.Key.Reveal(); key != "" && r.Provider == config.Anthropic {
		req.Header.Set("X-Api-Key", key)
		req.Header.Set("Anthropic-Version", "2023-06-01")
	} else if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	answer, err := wire.Client(nil).Do(req)
	if err != nil { // its text may quote the address, and nothing else of it is ours to show
		return doctor.Result{Status: doctor.Fail, Detail: address + " does not answer",
			Fix: fmt.Sprintf("start the server of route %s, or correct its base_url in %s", r.Name, file)}
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)) // only whether it answers is of interest
	return judgeRoute(r, answer.StatusCode, file)
}

func judgeRoute(r config.ModelRoute, status int, file string) doctor.Result {
	detail := fmt.Sprintf("%s, %s", r.Provider, r.Model)
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return doctor.Result{Status: doctor.Fail, Detail: fmt.Sprintf("%s: the server refuses the key (%d)", detail, status),
			Fix: fmt.Sprintf("put a valid key where key_env or key_file of route %s in %s points", r.Name, file)}
	case status == http.StatusTooManyRequests || status >= 500:
		return doctor.Result{Status: doctor.Warn, Detail: fmt.Sprintf("%s: the server answers %d", detail, status),
			Fix: "wait, or ask who runs the server of route " + r.Name}
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return doctor.Result{Status: doctor.OK, Detail: detail + "; it answers, and lists no models"}
	case status >= 400:
		return doctor.Result{Status: doctor.Warn, Detail: fmt.Sprintf("%s: the server answers %d", detail, status),
			Fix: fmt.Sprintf("see whether base_url of route %s in %s is the address of its API", r.Name, file)}
	}
	return doctor.Result{Status: doctor.OK, Detail: detail}
}
