package casework_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

// child is the database into which this process brings signals from its standard input until it is killed; empty in a test.
var child = flag.String("bring-into", "", "address of a database")

func TestMain(m *testing.M) {
	flag.Parse()
	if *child == "" {
		os.Exit(m.Run())
	}
	if err := bring(context.Background(), *child); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// partLines is how many lines are sent at once.
const partLines = 200

// bring sends what it reads, part after part, and says after each that it is kept.
func bring(ctx context.Context, address string) error {
	db, err := postgres.Open(ctx, address)
	if err != nil {
		return err
	}
	rules, err := policy.Load(nil, platform.Policies(platform.App{Name: store.Name, Acts: store.Acts(), Policies: os.DirFS("../policies")}))
	if err != nil {
		return err
	}
	s := store.New()
	s.Open(store.Config{DB: db, Rules: rules})
	desk := casework.New(s)
	in := bufio.NewScanner(os.Stdin)
	for more := true; more; {
		var part bytes.Buffer
		for range partLines {
			if more = in.Scan(); !more {
				break
			}
			part.Write(in.Bytes())
			part.WriteByte('\n')
		}
		if _, err := desk.Take(ctx, analyst, casework.Bundle{Name: "child", Format: feed.NDJSON, Body: part.Bytes()}); err != nil {
			return err
		}
		fmt.Println("kept")
	}
	return in.Err()
}

// sums is all sums of an organisation, as they are kept.
func sums(t *testing.T, r netratest.Rig) []string {
	t.Helper()
	return r.Texts(t, `select day || ' ' || lgd || ' ' || layer || md5(sums) || md5(hours) || md5(tops) || md5(heard) from netra.day
		union all select hour || ' ' || lgd || ' ' || layer || md5(minutes) || md5(tops) from netra.hour order by 1`)
}

// TestKilledInMidStreamEverySignalCountsOnce promises that a process that is killed with -9 while it brings signals in, at three
// moments of its way, and is begun anew from the first line each time, leaves every signal once in the table and once in the
// sums.
func TestKilledInMidStreamEverySignalCountsOnce(t *testing.T) {
	r, whole := newRig(t, 3), newRig(t, 3)
	const all = 6000
	body := lines(t, 0, all, r.Store.Now())
	if _, err := whole.desk.Take(t.Context(), analyst, casework.Bundle{Name: "at once", Format: feed.NDJSON,
		Body: []byte(body)}); err != nil {
		t.Fatal(err)
	}
	for _, parts := range []int{1, 4, 9} {
		killAfter(t, r.DB.AppURL, body, parts)
		if n := r.Number(t, `select count(*) from netra.signal`); n < parts*partLines || n >= all || n%partLines != 0 {
			t.Errorf("after %d parts: got %d signals, want whole parts and not all", parts, n)
		}
	}
	i, err := r.desk.Take(t.Context(), analyst, casework.Bundle{Name: "again", Format: feed.NDJSON, Body: []byte(body)})
	if err != nil || i.Lines != all || i.Known == 0 || i.Taken+i.Known != all {
		t.Fatalf("got %+v, %v", i, err)
	}
	if n := r.Number(t, `select count(*) from netra.signal`); n != all {
		t.Errorf("got %d signals, want %d", n, all)
	}
	if got, want := sums(t, r.Rig), sums(t, whole.Rig); !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("%d rows of sums, want the %d that one way without a crash leaves", len(got), len(want))
	}
}

// killAfter runs a process that brings lines in and kills it, a moment after it has said so often that a part is kept.
func killAfter(t *testing.T, address, body string, parts int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-bring-into="+address)
	cmd.Stdin, cmd.Stderr = bytes.NewReader([]byte(body)), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(out)
	for range parts {
		if !said.Scan() {
			t.Fatalf("it ended before it had kept %d parts: %v", parts, said.Err())
		}
	}
	time.Sleep(time.Duration(parts) * time.Millisecond) // into the next part
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("it had ended by itself")
	}
}
