package program

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const someRun = "run_01K5ZJ3W8Q6X9V2T4N7M1B0CD1"

const runJSON = `{"id":"` + someRun + `","case":"` + firstID + `","case_ref":"` + firstRef +
	`","app":"yard","agent":"clerk","parent":"","state":"waiting_person","reason":"",
	"seq":2,"now":["letter"],"waiting_for":[{"proposal":"P-3","tool":"letter","roles":["officer"],"person":""}],"tainted":true,"model_calls":3,"tokens_in":700,"tokens_out":112,
	"cost_millionths":4100000,"currency":"INR","budget":{"calls":40,"calls_used":3,"tokens":0,"tokens_used":812},"started_at":"2026-11-14T08:00:00Z","ended_at":null,
	"links":{"page":"https://gavel.example/runs/` + someRun + `"}}`

const stepsJSON = `{"items":[
	{"seq":2,"at":"2026-11-14T08:00:09Z","took_ms":640,"model":"scripted","tokens_in":700,"tokens_out":112,"calls":[{"tool":"letter","verdict":"ask","why":"","proposal":{"id":"P-3","state":"open"}}],"state":"","reason":""},
	{"seq":1,"at":"2026-11-14T08:00:05Z","took_ms":600,"model":"scripted","tokens_in":600,"tokens_out":112,"calls":[{"tool":"look","verdict":"refused","why":"policy"},{"tool":"clerk","verdict":"agent","why":"","run":{"id":"` + someRun + `","state":"done"}}],"state":"","reason":""}],
	"next_page_token":"1"}`

// A depot answers for runs as the API does, in its published shapes.
func newDepot(t *testing.T) (setup, *[]string) {
	t.Helper()
	var sent []string
	mux := http.NewServeMux()
	answer := func(pattern, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			sent = append(sent, r.Method+" "+r.URL.RequestURI())
			write(w, 200, body)
		})
	}
	answer("GET /v1/runs", `{"items":[`+runJSON+`]}`)
	answer("GET /v1/runs/{id}", runJSON)
	answer("GET /v1/runs/{id}/steps", stepsJSON)
	mux.HandleFunc("POST /v1/runs/{id}/orders", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") != someRun {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(409)
			_, _ = w.Write([]byte(`{"code":"conflict","status":409,"detail":"run ` + r.PathValue("id") + ` is done; nothing was done"}`))
			return
		}
		w.WriteHeader(202)
	})
	mux.HandleFunc("GET /v1/runs/{id}/replay", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") != someRun {
			write(w, 200, `{"run":"x","pass":false,"steps":[{"seq":0,"head":"1234567890abcdef1234"},{"seq":1,"head":"ab","wrong":["the outcome comes out otherwise"],"given":["the price"]}]}`)
			return
		}
		write(w, 200, `{"run":"`+someRun+`","pass":true,"steps":[{"seq":0,"head":"1234567890abcdef1234"}]}`)
	})
	answer("POST /v1/runs/{id}/reask",
		`{"note":"A new answer, never proof.","step":2,"answers":[{"model":{"provider":"scripted","model":"m1"},"usage":{"input":10,"output":2},"same":false,"tools":["post"],"answer":"Hello."}]}`)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return setup{environ: []string{"GAVEL_SERVER=" + srv.URL, "GAVEL_TOKEN=good"}}, &sent
}

func TestRunsFromTheCommandLine(t *testing.T) {
	at, sent := newDepot(t)
	other := strings.Replace(someRun, "CD1", "CD2", 1)
	for _, tt := range []struct {
		name string
		args []string
		code int
	}{
		{"list", []string{"run", "list", "--state", "waiting_person", "--state", "failed"}, 0},
		{"show", []string{"run", "show", someRun}, 0},
		{"stop", []string{"run", "stop", someRun}, 0},
		{"cancel-two", []string{"run", "cancel", someRun, other}, 6},
		{"replay", []string{"run", "replay", someRun}, 0},
		{"replay-fails", []string{"run", "replay", other}, 8},
		{"reask", []string{"run", "reask", someRun, "--step", "2", "--times", "1"}, 0},
	} {
		got := at.run(t, tt.args...)
		if got.code != tt.code {
			t.Errorf("%s: code %d, want %d: %s", tt.name, got.code, tt.code, got.talk)
		}
		golden(t, "run/"+tt.name+".golden", got.out+"--\n"+got.talk)
	}
	if (*sent)[0] != "GET /v1/runs?page_size=50&state=waiting_person&state=failed" {
		t.Errorf("asked for %s", (*sent)[0])
	}
	if got := at.run(t, "run", "show", someRun, "-o", "json"); got.code != 0 || !strings.Contains(got.out, `"steps"`) ||
		!strings.Contains(got.out, `"proposal"`) {
		t.Errorf("show -o json: %+v", got)
	}
	for _, args := range [][]string{
		{"run", "show", "../cases"}, {"run", "stop"}, {"run", "list", "--state", "asleep"}, {"run", "list", "--limit", "0"},
		{"run", "reask", someRun, "--times", "99"}, {"run", "reask", someRun, "--step", "-4"}, {"run", "replay", "x"},
	} {
		if got := at.run(t, args...); got.code != 2 {
			t.Errorf("%v: code %d, want 2: %s", args, got.code, got.talk)
		}
	}
}
