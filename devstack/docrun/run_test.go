package docrun

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// try runs the README of a checkout that holds nothing else.
func try(t *testing.T, readme string) (out string, err error) {
	t.Helper()
	return tryFor(t, time.Minute, readme)
}

// tryFor is try with so much time for each block.
func tryFor(t *testing.T, patience time.Duration, readme string) (out string, err error) {
	t.Helper()
	dir := t.TempDir()
	if text, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(readme), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	var b bytes.Buffer
	err = Run(t.Context(), Config{Checkout: dir, Environ: append(os.Environ(), "GAVEL_TOKEN=of-the-caller"), Out: &b, patience: patience,
		moments: time.Second})
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	return b.String(), err
}

func blocksOf(scripts ...string) string {
	return "```sh run\n" + strings.Join(scripts, "\n```\nwords\n```sh run\n") + "\n```\n"
}

func TestADocumentIsOneShellFromItsFirstBlockToItsLast(t *testing.T) {
	out, err := try(t, blocksOf("x=7; cd /\nf() { echo \"in $PWD with $x\"; }", "f\ncat\necho \"token ${GAVEL_TOKEN:-none}\""))
	if err != nil {
		t.Fatal(err, out)
	}
	for _, want := range []string{"in / with 7\n", "token none\n", "f() {", "== README.md:1\n", "== README.md:6\n",
		"2 blocks of 1 documents ran in "} {
		if !strings.Contains(out, want) {
			t.Errorf("got %q, want %q", out, want)
		}
	}
}

func TestTheFirstCommandThatFailsEndsIt(t *testing.T) {
	for name, script := range map[string]string{
		"a command": "false\necho after", "in a pipe": "false | cat\necho after", "a name that is not set": "echo $nobody\necho after",
		"no such command": "nonesuch\necho after", "exit": "exit 3\necho after",
	} {
		out, err := try(t, blocksOf("true", script, "echo after"))
		if err == nil || !strings.Contains(err.Error(), "README.md:5") || strings.Contains(out, "\nafter\n") {
			t.Errorf("%s: got %v and %q, want an error of line 5 and nothing after it", name, err, out)
		}
	}
}

func TestACommandThatDoesNotEndIsNamedAndEnded(t *testing.T) {
	out, err := tryFor(t, 5*time.Second, blocksOf("true", "sleep 300", "echo after"))
	if err == nil || !strings.Contains(err.Error(), "README.md:5: it does not end") || strings.Contains(out, "\nafter\n") {
		t.Errorf("got %v and %q, want an error of line 5 and nothing after it", err, out)
	}
	if left := below(); len(left) > 0 {
		t.Errorf("%v are still there", left)
	}
}

func TestWhatIsLeftRunningIsAnErrorAndIsEnded(t *testing.T) {
	out, err := try(t, blocksOf("setsid sleep 300 >/dev/null 2>&1 &\n"))
	if err == nil || !strings.Contains(err.Error(), "still running: sleep (process ") {
		t.Errorf("got %v and %q, want the process by its name and id", err, out)
	}
	if left := below(); len(left) > 0 {
		t.Errorf("%v are still there", left)
	}
}

func TestAPageWhoseAddressIsPrintedAnswers(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path+" "+r.Header.Get("Authorization"))
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	as := "export GAVEL_SERVER=" + server.URL + " GAVEL_TOKEN=t\n"
	if out, err := try(t, blocksOf(as+"echo page $GAVEL_SERVER/cases/1")); err != nil || len(asked) != 1 ||
		asked[0] != "/cases/1 Bearer t" {
		t.Errorf("got %v, %v and %q", err, asked, out)
	}
	if out, err := try(t, blocksOf(as+"echo page $GAVEL_SERVER/gone")); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("a page that is not there: got %v and %q", err, out)
	}
}

func TestABlockUntilCtrlCIsInterruptedOnceItsAddressAnswers(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	for _, tt := range []struct {
		name, script string
		fails        string
	}{
		{"as it should", "trap 'echo ended; exit 0' INT\necho open " + server.URL + "/\nwhile :; do sleep 0.1; done", ""},
		{"by the signal itself", "trap 'echo ended; trap - INT; kill -INT $$' INT\necho open " + server.URL +
			"/\nwhile :; do sleep 0.1; done", ""},
		{"as a shell says it", "trap 'echo ended; exit 130' INT\necho open " + server.URL + "/\nwhile :; do sleep 0.1; done", ""},
		{"ends badly", "trap 'exit 4' INT\necho open " + server.URL + "/\nwhile :; do sleep 0.1; done", "exit status 4"},
		{"never prints an address", "echo nothing", "before it printed an address"},
		{"leaves a file", "trap 'exit 0' INT\ntouch $TMPDIR/left\necho open " + server.URL + "/\nwhile :; do sleep 0.1; done", "it left"},
	} {
		asked = 0
		out, err := try(t, "```sh run interrupt\n"+tt.script+"\n```\n")
		if tt.fails == "" && (err != nil || asked != 1 || !strings.Contains(out, "\nended\n")) || tt.fails != "" &&
			(err == nil || !strings.Contains(err.Error(), tt.fails)) {
			t.Errorf("%s: got %v and %q after %d requests, want %q", tt.name, err, out, asked, tt.fails)
		}
	}
}

// TestSecretsAreNotPrinted promises that a log of a run holds no value of a secret, be
// it one that a block prints or one that the shell shows before it evaluates it, and
// that what a command does is still to be read.
func TestSecretsAreNotPrinted(t *testing.T) {
	settings := "cat <<'END' > env\nexport GAVEL_SETTING='s3cr-zero'\nexport BLOB_KEY='s3cr-one'\nexport A_TOKEN=s3cr-two " +
		"B_SECRET=\"s3cr three\"\nexport C_PASSWORD='s3cr four'\n" +
		"export DATABASE_URL='postgres://gavel_app:s3cr-five@127.0.0.1:1/gavel'\nexport PLAIN='to be read'\nEND"
	out, err := try(t, blocksOf(settings, `eval "$(cat env)"`, `MY_TOKEN=$(printf %s computed) && echo "has ${#MY_TOKEN}"; cat env`))
	if err != nil {
		t.Fatal(err, out)
	}
	if strings.Contains(out, "s3cr") {
		t.Errorf("a secret was printed:\n%s", out)
	}
	for _, want := range []string{"BLOB_KEY=********", "postgres://gavel_app:********@127.0.0.1:1/gavel", "PLAIN='to be read'",
		"MY_TOKEN=$(printf %s computed)", "has 8"} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
}
