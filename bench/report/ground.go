package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
)

// writeCharts writes so many chart tables: those of made-up runs, each run in folders of its own.
func writeCharts(dir string, n int) error {
	for run := uint64(1); n > 0; run++ {
		for name, body := range madeup.Make(run).Files() {
			if n == 0 || !strings.HasSuffix(name, ".csv") || strings.Count(name, "/") != 1 {
				continue
			}
			path := filepath.Join(dir, "r"+strconv.FormatUint(run, 10)+"_"+filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(path, body, 0o600); err != nil {
				return err
			}
			n--
		}
	}
	return nil
}

var viewColumns = []string{"scenario", "process", "commodity", "unit", "state", "year", "val"}

// writeView writes a project view of so many rows. Values have six decimals, as a model's exports do.
func writeView(path string, n int) (query.View, error) {
	columns, err := query.Columns(viewColumns)
	if err != nil {
		return query.View{}, err
	}
	f, err := os.Create(path) //nolint:gosec // a folder of the bench's own
	if err != nil {
		return query.View{}, err
	}
	sum := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<20)
	dice := rand.New(rand.NewPCG(20, 26)) //nolint:gosec // nothing secret is drawn
	_, err = w.WriteString(strings.Join(viewColumns, ",") + "\n")
	var line []byte
	for i := range n {
		line = fmt.Appendf(line[:0], "Harbour-%d,PRC_%d,COM_%d,PJ,S%d,%d,%d.%06d\n", i%3, dice.IntN(2254), dice.IntN(99), dice.IntN(8),
			2025+i/3%26, dice.IntN(900), dice.IntN(1_000_000))
		if _, err = w.Write(line); err != nil {
			break
		}
	}
	if err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return query.View{Name: "project_view", File: path, SHA256: hex.EncodeToString(sum.Sum(nil)), Columns: columns}, err
}

// ran is what a run of bare DuckDB said: how long it took, how much memory it had, and how many rows came.
type ran struct {
	took time.Duration
	peak int64
	rows int
}

// bareDuck runs one statement in DuckDB as it comes.
func bareDuck(ctx context.Context, program, statement string) (ran, error) {
	cmd := exec.CommandContext(ctx, program, statement) //nolint:gosec // built beside us
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, os.Stderr
	if err := cmd.Run(); err != nil {
		return ran{}, err
	}
	var r ran
	var nanos int64
	if _, err := fmt.Sscan(said.String(), &nanos, &r.peak, &r.rows); err != nil {
		return ran{}, err
	}
	r.took, r.peak = time.Duration(nanos), r.peak<<10
	return r, nil
}
