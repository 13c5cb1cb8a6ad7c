// Command poolwalk shows that the lives of vanpool cases keep their promises,
// whatever happens in whatever order.
//
// It runs two tests that walk through random lives: TestRandomLivesKeepThePromises
// of package lifecycle, over the rules alone, and
// TestRandomLivesOnTheEngineKeepThePromises of the program, on the real engine with
// real mail and a worker that is killed. What they promise is in their own words.
//
// The last line is the figure.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

type options struct {
	walks, engine, events int
	seed                  uint64
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench poolwalk:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context) error {
	var o options
	flag.IntVar(&o.walks, "walks", 5000, "random lives over the rules")
	flag.IntVar(&o.engine, "engine", 60, "random lives on the real engine")
	flag.IntVar(&o.events, "events", 40, "the most events of a life on the engine; over the rules it is always 40")
	flag.Uint64Var(&o.seed, "seed", 0, "of the lives; 0 draws one")
	flag.Parse()
	if o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000) + 1 //nolint:gosec // it decides what happens to made-up people, and is printed
	}
	if o.walks < 1 || o.engine < 1 || o.events < 5 {
		return errors.New("want at least one life of each kind, and five events")
	}
	fmt.Printf("seed %d\n", o.seed)
	seed := strconv.FormatUint(o.seed, 10)
	began := time.Now()
	rules, err := lives(ctx, "./apps/poolpatrol/rule/lifecycle", "TestRandomLivesKeepThePromises", "-walks", strconv.Itoa(o.walks),
		"-rapid.seed", seed)
	if err != nil {
		return err
	}
	engine, err := lives(ctx, "./program", "TestRandomLivesOnTheEngineKeepThePromises", "-engine-walks", strconv.Itoa(o.engine),
		"-walk-events", strconv.Itoa(o.events), "-walk-seed", seed)
	if err != nil {
		return err
	}
	if rules < o.walks || engine < o.engine {
		return fmt.Errorf("%d lives over the rules and %d on the engine were walked, want %d and %d", rules, engine, o.walks, o.engine)
	}
	fmt.Printf("it took %.0f s\n", time.Since(began).Seconds())
	fmt.Printf("poolwalk: %d walks over the rules and %d on the engine: 0 broken promises\n", rules, engine)
	return nil
}

var walked = regexp.MustCompile(`(?m)^poolwalk: (\d+) lives .*: 0 broken promises$`)

// longest is what one of the tests may take.
const longest = "30m"

// lives runs a test, shows what it prints, and returns how many lives it says kept
// every promise. A test that was not found says nothing, and go calls it a success.
func lives(ctx context.Context, folder, test string, args ...string) (int, error) {
	args = append([]string{"test", folder, "-run", "^" + test + "$", "-count=1", "-v", "-timeout", longest, "-args"}, args...)
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // the arguments are made above
	var out bytes.Buffer
	both := io.MultiWriter(&out, os.Stdout)
	cmd.Stdout, cmd.Stderr = both, both
	// The test is a child of go's: both go when we are told to.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w", test, err)
	}
	m := walked.FindSubmatch(out.Bytes())
	if m == nil {
		return 0, fmt.Errorf("%s went well and says of no life that it did", test)
	}
	return strconv.Atoi(string(m[1]))
}
