package devstack_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
)

// up brings parts up in a folder and removes them when the test ends.
func up(t *testing.T, dir string, parts ...devstack.Part) *devstack.Stack {
	t.Helper()
	s, err := devstack.Up(t.Context(), devstack.Options{Dir: dir, Parts: parts, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // a second removal finds nothing to do
		if err := s.Remove(context.Background()); err != nil && !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
	})
	return s
}

// statusOf is a part's line in the status.
func statusOf(t *testing.T, s *devstack.Stack, p devstack.Part) devstack.Status {
	t.Helper()
	for _, st := range s.Status() {
		if st.Part == p {
			return st
		}
	}
	t.Fatalf("no status of %s", p)
	return devstack.Status{}
}

// ask runs a query as the superuser and returns its one value.
func ask(t *testing.T, s *devstack.Stack, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var value string
	if err := conn.QueryRow(t.Context(), query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

func TestSecondUpIsANoOp(t *testing.T) {
	dir := t.TempDir()
	first := up(t, dir, devstack.Postgres)
	start := time.Now()
	second := up(t, dir, devstack.Postgres)
	wait.Within(t, "the second up", time.Since(start), 20*time.Second)
	if got, want := second.Status(), first.Status(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := second.Settings(), first.Settings(); !reflect.DeepEqual(got, want) {
		t.Errorf("the settings changed: got %v, want %v", got, want)
	}
}

func TestPostgresIsDurableAndNotRoot(t *testing.T) {
	s := up(t, t.TempDir(), devstack.Postgres)
	for query, want := range map[string]string{
		"SHOW fsync":                                                        "on",
		"SHOW synchronous_commit":                                           "on",
		"SHOW listen_addresses":                                             "127.0.0.1",
		"SHOW unix_socket_directories":                                      "",
		"SELECT count(*)::text FROM pg_hba_file_rules":                      "1",
		"SELECT string_agg(auth_method, ',') FROM pg_hba_file_rules":        "scram-sha-256",
		"SELECT rolbypassrls::text FROM pg_roles WHERE rolname='gavel_app'": "false",
	} {
		if got := ask(t, s, query); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	pid := statusOf(t, s, devstack.Postgres).PID
	owner, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(owner), "Uid:\t0\t") {
		t.Error("PostgreSQL runs as root")
	}
	if got := listeners(t, pid); len(got) != 1 || got[0] != s.Addresses(devstack.Postgres)["sql"] {
		t.Errorf("listens on %v, want only %v", got, s.Addresses(devstack.Postgres))
	}
}

func TestKilledPartComesBackOnTheSamePortWithItsData(t *testing.T) {
	s := up(t, t.TempDir(), devstack.Postgres)
	before := statusOf(t, s, devstack.Postgres)
	if got := ask(t, s, "WITH made AS (SELECT lo_from_bytea(4711, 'kept')) SELECT 'committed' FROM made"); got != "committed" {
		t.Fatalf("got %q", got)
	}
	if err := s.Kill(devstack.Postgres); err != nil {
		t.Fatal(err)
	}
	if st := statusOf(t, s, devstack.Postgres); st.Alive {
		t.Fatal("it is alive after Kill")
	}
	if err := s.Start(t.Context(), devstack.Postgres); err != nil {
		t.Fatal(err)
	}
	after := statusOf(t, s, devstack.Postgres)
	if !after.Alive || after.PID == before.PID {
		t.Errorf("got pid %d, alive %v; before it was pid %d", after.PID, after.Alive, before.PID)
	}
	if got, want := after.Addresses, before.Addresses; !reflect.DeepEqual(got, want) {
		t.Errorf("addresses: got %v, want %v", got, want)
	}
	if got := ask(t, s, "SELECT convert_from(lo_get(4711), 'UTF8')"); got != "kept" {
		t.Errorf("data: got %q", got)
	}
}

func TestUpAfterDownKeepsPortsDataAndSecrets(t *testing.T) {
	dir := t.TempDir()
	s := up(t, dir, devstack.Postgres)
	before := s.Settings()
	pid := statusOf(t, s, devstack.Postgres).PID
	ask(t, s, "SELECT lo_from_bytea(4711, 'kept')::text")
	if err := s.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	if alive(pid) || statusOf(t, s, devstack.Postgres).Alive {
		t.Errorf("process %d is left", pid)
	}
	if _, err := pgx.Connect(t.Context(), s.AdminURL()); err == nil {
		t.Error("PostgreSQL still answers")
	}
	s = up(t, dir, devstack.Postgres)
	if got := s.Settings(); !reflect.DeepEqual(got, before) {
		t.Errorf("settings: got %v, want %v", got, before)
	}
	if got := ask(t, s, "SELECT convert_from(lo_get(4711), 'UTF8')"); got != "kept" {
		t.Errorf("data: got %q", got)
	}
}

func TestDownSparesAProcessThatWasGivenAnOldPid(t *testing.T) {
	dir := t.TempDir()
	s := up(t, dir, devstack.Postgres)
	if err := s.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	bystander := exec.Command("sleep", "600")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := bystander.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = bystander.Wait() // it was killed
	}()
	rewriteState(t, dir, func(postgres map[string]any) { postgres["pid"] = bystander.Process.Pid })

	s, err := devstack.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if statusOf(t, s, devstack.Postgres).Alive {
		t.Error("a stranger with an old pid is taken for our server")
	}
	for _, stop := range []func() error{
		func() error { return s.Kill(devstack.Postgres) },
		func() error { return s.Stop(t.Context(), devstack.Postgres) },
		func() error { return s.Down(t.Context()) },
	} {
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", bystander.Process.Pid))
	if err != nil || !strings.Contains(string(stat), "(sleep) S") {
		t.Errorf("the bystander was hit: %s, %v", stat, err)
	}
}

// rewriteState changes what the state file says about PostgreSQL.
func rewriteState(t *testing.T, dir string, change func(postgres map[string]any)) {
	t.Helper()
	name := filepath.Join(dir, "state.json")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var state map[string]any
	if err := json.Unmarshal(data, &state); err != nil {
		t.Fatal(err)
	}
	change(state["parts"].(map[string]any)["postgres"].(map[string]any))
	if data, err = json.Marshal(state); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestConcurrentUpsShareOneCluster(t *testing.T) {
	dir := t.TempDir()
	pids := make([]int, 3)
	var all sync.WaitGroup
	for i := range pids {
		all.Go(func() {
			s, err := devstack.Up(t.Context(), devstack.Options{Dir: dir, Parts: []devstack.Part{devstack.Postgres}})
			if err != nil {
				t.Error(err)
				return
			}
			pids[i] = s.Status()[0].PID
		})
	}
	all.Wait()
	up(t, dir, devstack.Postgres) // for its cleanup
	if pids[0] == 0 || pids[1] != pids[0] || pids[2] != pids[0] {
		t.Errorf("got the servers %v, want one", pids)
	}
}

func TestRemoveLeavesNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := up(t, dir, devstack.Postgres)
	// As root the cluster may live elsewhere: the account postgres cannot
	// reach a test's folder.
	cluster := ask(t, s, "SHOW data_directory")
	if err := s.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, cluster, filepath.Dir(cluster)} {
		if exists(name) {
			t.Errorf("%s is left", name)
		}
	}
}

func TestUpRefusesAFolderWithOtherPeoplesFiles(t *testing.T) {
	dir := t.TempDir()
	thesis := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(thesis, []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := devstack.Up(t.Context(), devstack.Options{Dir: dir, Parts: []devstack.Part{devstack.Postgres}})
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	if !exists(thesis) {
		t.Error("the file is gone")
	}
}

func TestFindSaysHowToStartAStack(t *testing.T) {
	t.Setenv("GAVEL_DEVSTACK", t.TempDir())
	if _, err := devstack.Find(); !fault.Is(err, fault.NotFound) || !strings.Contains(err.Error(), "make dev") {
		t.Errorf("got %v", err)
	}
}

func TestSettingsAndTokensAreTheOnesGavelAccepts(t *testing.T) {
	s := up(t, t.TempDir(), devstack.Postgres)
	for _, name := range []string{s.SettingsFile(), filepath.Join(s.Dir(), "secrets.json")} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got mode %v, %v; want 0600", name, info.Mode(), err)
		}
	}
	key, err := base64.StdEncoding.DecodeString(s.Settings()["GAVEL_DEV_TOKEN_KEY"])
	if err != nil {
		t.Fatal(err)
	}
	tokens := s.Tokens()
	if got, want := len(tokens), 20; got != want {
		t.Errorf("got %d tokens, want %d: ten roles in two organisations", got, want)
	}
	if len(key) != 32 { // that the tokens are the ones Gavel takes is platform/signin's test
		t.Errorf("the tokens' key has %d bytes, want 32", len(key))
	}
	for _, role := range []string{"GAVEL_DATABASE_URL", "GAVEL_DATABASE_SYSTEM_URL", "GAVEL_DATABASE_OWNER_URL"} {
		conn, err := pgx.Connect(t.Context(), s.Settings()[role])
		if err != nil {
			t.Errorf("%s: %v", role, err)
			continue
		}
		conn.Close(t.Context())
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
