package doctor_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/gavelhq/gavel/platform/doctor"
)

const fix = "start it"

// expect runs one check and compares its status and a part of its detail. What
// is not well must name a fix, what is well must not.
func expect(t *testing.T, name string, c doctor.Check, status doctor.Status, detail string) {
	t.Helper()
	got := doctor.Run(t.Context(), []doctor.Check{c}, time.Minute)[0]
	if got.Status != status || !strings.Contains(got.Detail, detail) || (got.Fix == "") != (status == doctor.OK) {
		t.Errorf("%s: got %s %q (fix %q), want %s with %q", name, got.Status, got.Detail, got.Fix, status, detail)
	}
}

// absent is a loopback address that nobody listens on, nor is given to anybody who
// asks for a free one.
const absent = "127.0.0.1:1"

// greeter says one thing to whoever connects; nothing when it is empty.
func greeter(t *testing.T, words string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if words != "" {
				_, _ = io.WriteString(conn, words)
			}
			go func() {
				_, _ = io.Copy(io.Discard, conn) // until the visitor leaves
				conn.Close()
			}()
		}
	}()
	return l.Addr().String()
}

func TestMailServersAreJudgedByTheirGreeting(t *testing.T) {
	expect(t, "none", doctor.Mail("", fix), doctor.OK, "not configured")
	expect(t, "absent", doctor.Mail(absent, fix), doctor.Fail, "does not answer")
	expect(t, "well", doctor.Mail(greeter(t, "220 mail ready\r\n"), fix), doctor.OK, "greets")
	expect(t, "busy", doctor.Mail(greeter(t, "421 too busy\r\n"), fix), doctor.Fail, "421 too busy")
	expect(t, "not mail", doctor.Mail(greeter(t, strings.Repeat("x", 4096)), fix), doctor.Fail, "does not answer")
	silent := doctor.Run(t.Context(), []doctor.Check{doctor.Mail(greeter(t, ""), fix)}, 2*time.Second)[0]
	if silent.Status != doctor.Fail || !strings.Contains(silent.Detail, "does not answer") {
		t.Errorf("silent: got %+v", silent)
	}
}

func TestIssuersAreJudgedByTheirDiscoveryDocument(t *testing.T) {
	var document string
	status := http.StatusOK
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/dex/.well-known/openid-configuration" {
			status = http.StatusTeapot
		}
		w.WriteHeader(status)
		fmt.Fprint(w, document)
	}))
	defer issuer.Close()
	address := issuer.URL + "/dex"
	expect(t, "none", doctor.SignIn("", fix), doctor.OK, "not configured")
	expect(t, "absent", doctor.SignIn("http://"+absent, fix), doctor.Fail, "does not answer")
	document = fmt.Sprintf(`{"issuer":%q,"authorization_endpoint":"x"}`, address)
	expect(t, "well", doctor.SignIn(address, fix), doctor.OK, "answers")
	document = `{"issuer":"https://someone.example","authorization_endpoint":"x"}`
	expect(t, "another's", doctor.SignIn(address, fix), doctor.Fail, "https://someone.example")
	document = fmt.Sprintf(`{"issuer":%q}`, address)
	expect(t, "half", doctor.SignIn(address, fix), doctor.Fail, "where to sign in")
	document = "<html>"
	expect(t, "a page", doctor.SignIn(address, fix), doctor.Fail, "no discovery document")
	status, document = http.StatusNotFound, "{}"
	expect(t, "not there", doctor.SignIn(address, fix), doctor.Fail, "status 404")
}

func TestServersAreAskedWhetherTheyAreReady(t *testing.T) {
	status, body := http.StatusOK, `{"status":"ready"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	expect(t, "absent", doctor.Ready("http://"+absent, fix), doctor.Fail, "does not answer")
	expect(t, "well", doctor.Ready(server.URL+"/", fix), doctor.OK, "ready at")
	status, body = http.StatusServiceUnavailable,
		`{"checks":[{"name":"a","ok":true},{"name":"PostgreSQL","ok":false,"error":"does not answer"}]}`
	expect(t, "not ready", doctor.Ready(server.URL, fix), doctor.Fail, "PostgreSQL: does not answer")
	body = `{"closing":true}`
	expect(t, "closing", doctor.Ready(server.URL, fix), doctor.Warn, "going away")
	body = "<html>"
	expect(t, "a proxy", doctor.Ready(server.URL, fix), doctor.Fail, "status 503")
}

func TestTheAddressPeopleUseMustLeadToAServer(t *testing.T) {
	status, body := http.StatusOK, `{"status":"alive"}`
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			status = http.StatusTeapot
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
	server, strange := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	strange.Config.ErrorLog = log.New(io.Discard, "", 0) // it is told that it is not believed
	defer server.Close()
	defer strange.Close()
	expect(t, "none", doctor.Pages("", fix), doctor.OK, "not configured")
	expect(t, "absent", doctor.Pages("http://"+absent, fix), doctor.Fail, "does not answer")
	expect(t, "well", doctor.Pages(server.URL+"/", fix), doctor.OK, "answers at")
	expect(t, "a certificate of nobody", doctor.Pages(strange.URL, fix), doctor.Fail, "certificate")
	body = "<html>"
	expect(t, "a page of the proxy", doctor.Pages(server.URL, fix), doctor.Fail, "is not this server (status 200)")
	status, body = http.StatusBadGateway, `{}`
	expect(t, "nobody behind the proxy", doctor.Pages(server.URL, fix), doctor.Fail, "status 502")
}

func TestZonesMustBeKnownAndRight(t *testing.T) {
	expect(t, "India", doctor.Zone("Asia/Kolkata", 5*time.Hour+30*time.Minute), doctor.OK, "5h30m")
	expect(t, "wrong", doctor.Zone("Asia/Kolkata", 5*time.Hour), doctor.Fail, "should be 5h0m0s")
	expect(t, "unknown", doctor.Zone("Mars/Olympus", 0), doctor.Fail, "not known")
}

func TestDiskSpaceIsLookedAtWhereFilesWillBe(t *testing.T) {
	got := doctor.Disk(t.TempDir() + "/not/there/yet").Run(context.Background())
	if !strings.Contains(got.Detail, "GiB free of") {
		t.Errorf("got %+v", got)
	}
}
