package program

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/s3"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// quarter is how long six hours take in a sky.
const quarter = time.Second

// A sky is an installation at work on the air: a server, a worker, an S3 server with
// the data lake, and a clock on which six hours take a second.
type sky struct {
	t      *testing.T
	db     *postgrestest.Database
	env    []string // without the lake
	lake   []string // the settings of the lake
	base   string
	token  string // the lake's own
	stack  *devstack.Stack
	bucket *s3.Bucket
	worker *process
	engine durable.Config
}

// newSky makes one, with more settings than the usual ones. Where the lake's server
// tells of new objects, it is told where.
func newSky(t *testing.T, notices bool, settings ...string) *sky {
	t.Helper()
	k := &sky{t: t, db: postgrestest.New(t, builtIn().migrations()...)}
	own := k.lakeServer("")
	k.engine, k.env = withEngine(t, settingsFor(t, k.db))
	k.env = append(append(k.env, "GAVEL_CLOCK_EPOCH="+time.Now().UTC().Format(time.RFC3339)), settings...)
	if !slices.ContainsFunc(settings, func(line string) bool { return strings.HasPrefix(line, "GAVEL_CLOCK_SPEED=") }) {
		k.env = append(k.env, fmt.Sprintf("GAVEL_CLOCK_SPEED=%g", (6*time.Hour).Seconds()/quarter.Seconds()))
	}
	k.lake = []string{"GAVEL_AIRSHED_LAKE=" + own["GAVEL_BLOB_URL"], "GAVEL_AIRSHED_LAKE_ORG=north", "GAVEL_AIRSHED_LAKE_ACCESS_KEY=" +
		own["GAVEL_BLOB_ACCESS_KEY"], "GAVEL_AIRSHED_LAKE_SECRET_KEY=" + own["GAVEL_BLOB_SECRET_KEY"]}
	served := start(t, append(slices.Clone(k.env), k.lake...), "serve")
	t.Cleanup(func() { k.ended("server", served) })
	k.base = fmt.Sprint("http://", served.said(t, "listening")["address"])
	awaitReady(t, k.base)
	if k.token = k.machine(); notices {
		k.lakeServer(strings.Replace(k.base, "://", "://lake:"+k.token+"@", 1) + "/v1/airshed/notices")
	}
	k.work(k.lake...)
	t.Cleanup(func() { k.ended("worker", k.worker) })
	return k
}

// lakeServer starts the lake's server, or starts it again so that it tells somebody of
// new objects, and returns its settings.
func (k *sky) lakeServer(tell string) map[string]string {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var dir string
	if k.stack == nil {
		made, err := os.MkdirTemp("", "gavel-sky-")
		if err != nil {
			k.t.Fatal(err)
		}
		dir = made
	} else {
		dir = k.stack.Dir()
		if err := k.stack.Stop(ctx, devstack.S3); err != nil {
			k.t.Fatal(err)
		}
	}
	stack, err := devstack.Up(ctx, devstack.Options{Dir: dir, Parts: []devstack.Part{devstack.S3}, Notices: tell})
	if err != nil {
		k.t.Fatal(err)
	}
	if k.stack == nil {
		k.t.Cleanup(func() {
			if err := stack.Remove(context.Background()); err != nil {
				k.t.Error(err)
			}
		})
	}
	k.stack = stack
	own := stack.Settings()
	if k.bucket, err = s3.Open(own["GAVEL_BLOB_URL"], own["GAVEL_BLOB_ACCESS_KEY"], own["GAVEL_BLOB_SECRET_KEY"]); err != nil {
		k.t.Fatal(err)
	}
	return own
}

// work starts a worker, with more settings or none.
func (k *sky) work(settings ...string) {
	k.t.Helper()
	k.worker = start(k.t, append(slices.Clone(k.env), settings...), "worker")
	k.worker.said(k.t, "worker ready")
}

func (k *sky) ended(name string, p *process) {
	if code := p.ends(k.t, errTerminated); code != 0 || k.t.Failed() {
		text := p.log.String()
		k.t.Logf("the %s ended with code %d\n%s", name, code, text[max(0, len(text)-6000):])
	}
}

// machine is a token with which the lake's server tells of objects.
func (k *sky) machine() string {
	k.t.Helper()
	var made struct{ Token string }
	status, text := k.call("POST", "/v1/tokens", devToken(k.t, identity.OrgAdmin),
		`{"name":"lake","scopes":["ingest:airshed"],"days":366,"reason":"notices of new objects"}`)
	if err := json.Unmarshal([]byte(text), &made); err != nil || status >= 300 {
		k.t.Fatalf("%d %s", status, text)
	}
	return made.Token
}

// call speaks to the API.
func (k *sky) call(method, path, token, body string, headers ...string) (int, string) {
	k.t.Helper()
	req, err := http.NewRequestWithContext(k.t.Context(), method, k.base+path, strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		k.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		k.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// put writes an object to the lake, as its own writer would.
func (k *sky) put(key string, body []byte) {
	k.t.Helper()
	draft, err := k.bucket.Draft(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	defer draft.Discard()
	if _, err := bytes.NewReader(body).WriteTo(draft); err != nil {
		k.t.Fatal(err)
	}
	if _, err := draft.Commit(k.t.Context(), key, blob.Sum(body), blob.Absent); err != nil {
		k.t.Fatal(err)
	}
}

// ask reads texts from the database, as north.
func (k *sky) ask(query string, args ...any) (all []string) {
	k.t.Helper()
	err := k.db.App.InOrg(k.t.Context(), postgrestest.North, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(k.t.Context(), query, args...)
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return all
}

// until waits until something holds.
func (k *sky) until(what string, holds func() bool) {
	k.t.Helper()
	if wait.Holds(1, holds) {
		return
	}
	k.t.Fatalf("%s: never; the scans:\n%s", what, strings.Join(k.ask(`select concat_ws(' ', id, kind, state, object, same_as, reason)
		from airshed.scan order by began_at desc limit 20`), "\n"))
}

// done waits until a scan of an object has ended, and returns how.
func (k *sky) done(object string) (scan struct{ ID, State, Reason, Stale, Found string }) {
	k.t.Helper()
	k.until("a scan of "+object, func() bool {
		got := k.ask(`select json_build_object('ID', id, 'State', state, 'Reason', reason, 'Stale', stale, 'Found', found::text)::text
			from airshed.scan where object = $1 and state <> 'running'`, object)
		return len(got) > 0 && json.Unmarshal([]byte(got[0]), &scan) == nil
	})
	return scan
}

// analysis is that of an episode as the server kept it, read with a terminal.
func (k *sky) analysis(key string) []byte {
	k.t.Helper()
	out := k.t.TempDir() + "/analysis.json"
	s := setup{environ: append(slices.Clone(k.env), "GAVEL_SERVER="+k.base, "GAVEL_TOKEN="+devToken(k.t, identity.Analyst))}
	if got := s.run(k.t, "airshed", "episode", key, "--out", out); got.code != 0 {
		k.t.Fatalf("got %+v", got)
	}
	body, err := os.ReadFile(out)
	if err != nil {
		k.t.Fatal(err)
	}
	return body
}
