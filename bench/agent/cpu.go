package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
)

// The processes whose work is told apart. The model is a process of its own and none
// of them: it does the same for everybody.
const (
	ownWork     = iota // this process: whoever opens cases, and the workers of Gavel and bare
	peerWork           // the peer's processes
	ownRows            // PostgreSQL for a contestant's own database
	engineRows         // PostgreSQL for the engine's
	otherRows          // PostgreSQL's writers, vacuum, and connections that have ended
	engineWork         // the engine
	sharesOfCPU        // how many these are
)

var cpuColumns = [sharesOfCPU]string{"worker", "peer", "PG own", "PG engine", "PG other", "engine"}

// cpu is milliseconds of processor time, user's and system's.
type cpu [sharesOfCPU]float64

func (c cpu) total() (sum float64) {
	for _, ms := range c {
		sum += ms
	}
	return sum
}

// tick is how /proc counts: hundredths of a second on every Linux that Go runs on.
const tick = 10 // milliseconds

// stat is what /proc says of one process.
type stat struct {
	parent         int
	own, reaped    float64 // milliseconds, its own and that of children it has waited for
	residentMemory int64   // bytes
}

// statOf reads it; ok is false where the process has ended.
func statOf(pid int) (s stat, ok bool, err error) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if errors.Is(err, os.ErrNotExist) || err == nil && len(raw) == 0 {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])) // from the third of the manual's fields on
	if len(f) < 22 {
		return s, false, fmt.Errorf("/proc says %q of process %d", raw, pid)
	}
	n := make([]float64, 22)
	for i := 1; i < len(n); i++ {
		if n[i], err = strconv.ParseFloat(f[i], 64); err != nil {
			return s, false, err
		}
	}
	return stat{parent: int(n[1]), own: tick * (n[11] + n[12]), reaped: tick * (n[13] + n[14]),
		residentMemory: int64(n[21]) * int64(os.Getpagesize())}, true, nil
}

// A usage is the processor time that all have used so far.
type usage struct {
	cpu         // but for PostgreSQL's connections, which come and go
	connections map[int]connection
}

// A connection is one of PostgreSQL's processes.
type connection struct {
	whose int
	ms    float64
}

// since is what was used after another moment, for each of so many units. What a
// connection has used that ended meanwhile is among others': only together with all
// that have ended it is known.
func (u usage) since(before usage, units int) cpu {
	c := u.cpu
	for pid, now := range u.connections {
		c[now.whose] += now.ms - before.connections[pid].ms
	}
	for pid, then := range before.connections {
		if _, lives := u.connections[pid]; !lives {
			c[otherRows] -= then.ms
		}
	}
	for i := range c {
		c[i] = (c[i] - before.cpu[i]) / float64(units)
	}
	return c
}

// used is it now.
func (g *ground) used(ctx context.Context) (u usage, err error) {
	u.connections = map[int]connection{}
	main, err := g.usedByPostgres(ctx, u.connections)
	if err != nil {
		return u, err
	}
	add := func(to, pid int) stat {
		s, _, statErr := statOf(pid)
		u.cpu[to] += s.own
		err = errors.Join(err, statErr)
		return s
	}
	add(ownWork, os.Getpid())
	add(engineWork, g.enginePID)
	for _, pid := range g.peerPIDs {
		add(peerWork, pid)
	}
	u.cpu[otherRows] += add(otherRows, main).reaped
	return u, err
}

// usedByPostgres notes what its processes have used, and says which is the one that
// started the others.
func (g *ground) usedByPostgres(ctx context.Context, all map[int]connection) (main int, err error) {
	err = g.in(ctx, "postgres", func(conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, `select pid, coalesce(datname, '') from pg_stat_activity where pid <> pg_backend_pid()`)
		var pid int
		var database string
		_, err := pgx.ForEachRow(rows, []any{&pid, &database}, func() error {
			s, ok, err := statOf(pid)
			if err != nil || !ok {
				return err
			}
			c := connection{otherRows, s.own}
			switch {
			case slices.Contains(engineDatabases(), database):
				c.whose = engineRows
			case slices.Contains(g.made, database):
				c.whose = ownRows
			}
			all[pid] = c
			main = s.parent
			return nil
		})
		return err
	})
	return main, err
}

// memory is what this process and the engine hold.
func (g *ground) memory() (worker, engine int64, err error) {
	w, _, err := statOf(os.Getpid())
	if err != nil {
		return 0, 0, err
	}
	e, _, err := statOf(g.enginePID)
	return w.residentMemory, e.residentMemory, err
}

// pidOf is the process of a part.
func pidOf(stack *devstack.Stack, part devstack.Part) (int, error) {
	for _, s := range stack.Status() {
		if s.Part == part && s.Alive {
			return s.PID, nil
		}
	}
	return 0, fmt.Errorf("%s does not run", part)
}

// printCPU prints who used how much for a unit.
func printCPU(name string, c cpu) {
	fmt.Printf("%-12s", name)
	for _, ms := range c {
		fmt.Printf(" %9.1f", ms)
	}
	fmt.Printf(" %9.1f\n", c.total())
}

func printCPUHead(what string) {
	fmt.Printf("CPU ms a %-3s", what)
	for _, column := range cpuColumns {
		fmt.Printf(" %9s", column)
	}
	fmt.Printf(" %9s\n", "all")
}
