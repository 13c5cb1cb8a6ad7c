package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
)

// disaster works cases, takes a backup in the middle of it, works on, kills
// everything and puts the backup in place.
func (g *ground) disaster(ctx context.Context) error {
	if err := g.openCases(ctx); err != nil {
		return err
	}
	if err := g.workUntil(ctx, g.cases); err != nil {
		return err
	}
	if err := g.log.keep(ctx, g.sys); err != nil {
		return err
	}
	began := time.Now()
	err := g.meanwhile(ctx, g.backUp)
	if err != nil {
		return err
	}
	if g.before, err = g.outside(ctx); err != nil {
		return err
	}
	fmt.Printf("%d cases; a base backup of %s with %d effects done\n", g.cases, time.Since(began).Round(100*time.Millisecond),
		sum(g.before))
	// A slow machine does more of the work while its backup is taken, and has less of it left.
	if g.more = min(g.more, 2*g.pairs*g.cases-sum(g.before)); g.more < 1 {
		return errors.New("no effects are left after the backup: give each case more with -pairs")
	}
	if err := g.workUntil(ctx, sum(g.before)+g.more); err != nil {
		return err
	}
	if err := g.log.keep(ctx, g.sys); err != nil {
		return err
	}
	if err := g.killAll(ctx); err != nil {
		return err
	}
	if g.lost, err = g.allArrived(ctx); err != nil {
		return err
	}
	fmt.Printf("killed with %d effects done; the engine is %s\n", sum(g.lost), map[bool]string{false: "restored to the same moment",
		true: "ahead"}[g.ahead])
	if g.ahead {
		return g.restoreOurs(ctx)
	}
	return g.restoreAll(ctx)
}

func sum(m map[string]int) (n int) {
	for _, one := range m {
		n += one
	}
	return n
}

// workUntil has an officer approve reports until so much has left.
func (g *ground) workUntil(ctx context.Context, effects int) error {
	for {
		if err := g.decide(ctx, files); err != nil {
			return err
		}
		now, err := g.outside(ctx)
		if err != nil || sum(now) >= effects {
			return err
		}
		if err := sleep(ctx, tick); err != nil {
			return err
		}
	}
}

// meanwhile does something while the officer goes on approving reports.
func (g *ground) meanwhile(ctx context.Context, do func(context.Context) error) error {
	working, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		for {
			err := g.decide(working, files)
			if working.Err() != nil {
				err = nil
			}
			if err != nil || sleep(working, tick) != nil {
				done <- err
				return
			}
		}
	}()
	err := do(ctx)
	stop()
	return errors.Join(err, <-done)
}

// underWay is how long nothing may arrive until all that was sent is taken to be there.
const underWay = 3 * time.Second

// allArrived counts what left once nothing more arrives: what a killed worker had handed
// to the network goes on without it.
func (g *ground) allArrived(ctx context.Context) (now map[string]int, err error) {
	last, since := -1, time.Now()
	for time.Since(since) < underWay {
		if now, err = g.outside(ctx); err != nil {
			return nil, err
		}
		if sum(now) != last {
			last, since = sum(now), time.Now()
		}
		if err := sleep(ctx, tick); err != nil {
			return nil, err
		}
	}
	return now, nil
}

// killAll ends the worker, the engine and PostgreSQL as a power failure would.
func (g *ground) killAll(context.Context) error {
	g.worker.kill()
	g.worker = nil
	g.shut()
	return errors.Join(g.stack.Kill(devstack.Temporal), g.stack.Kill(devstack.Postgres))
}

// cluster is where PostgreSQL keeps its files.
func (g *ground) cluster(ctx context.Context, conn *pgx.Conn) (dir string, err error) {
	err = conn.QueryRow(ctx, `show data_directory`).Scan(&dir)
	return dir, err
}

// backUp takes a base backup with the journal that goes with it.
func (g *ground) backUp(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, g.stack.AdminURL())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	dir, err := g.cluster(ctx, conn)
	if err != nil {
		return err
	}
	hba := filepath.Join(dir, "pg_hba.conf")
	if err := os.WriteFile(hba, []byte("host all all 127.0.0.1/32 scram-sha-256\nhost replication all 127.0.0.1/32 scram-sha-256\n"),
		0o600); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `select pg_reload_conf()`); err != nil {
		return err
	}
	g.backup = dir + ".backup"
	for try := 0; ; try++ { // the server reads its rules a moment after it was told to
		err = run(ctx, "pg_basebackup", "-d", g.stack.AdminURL(), "-D", g.backup, "-X", "stream", "-c", "fast")
		if err == nil || try == 5 {
			return err
		}
		if err := errors.Join(os.RemoveAll(g.backup), sleep(ctx, time.Second)); err != nil {
			return err
		}
	}
}

// restoreAll puts the backup of all databases in place, the engine's with ours.
func (g *ground) restoreAll(ctx context.Context) error {
	dir := g.backup[:len(g.backup)-len(".backup")]
	if err := handOver(dir, g.backup); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(dir, dir+".lost"), os.Rename(g.backup, dir)); err != nil {
		return err
	}
	if err := g.stack.Start(ctx, devstack.Postgres); err != nil {
		return err
	}
	return g.stack.Start(ctx, devstack.Temporal)
}

// restoreOurs brings only Gavel's database back to the backup: it is taken out of
// the backup by a server of its own, and put in place of the one that is there.
func (g *ground) restoreOurs(ctx context.Context) error {
	dump := g.backup + ".sql"
	defer os.Remove(dump)
	live := g.backup[:len(g.backup)-len(".backup")]
	if err := handOver(live, g.backup); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(live, live+".live"), os.Rename(g.backup, live)); err != nil {
		return err
	}
	if err := g.stack.Start(ctx, devstack.Postgres); err != nil {
		return err
	}
	ours, err := url.Parse(g.place.App)
	if err != nil {
		return err
	}
	admin, err := url.Parse(g.stack.AdminURL())
	if err != nil {
		return err
	}
	from := *admin
	from.Path = ours.Path
	if err := run(ctx, "pg_dump", "--create", "--clean", "--if-exists", "-f", dump, from.String()); err != nil {
		return err
	}
	if err := g.stack.Stop(ctx, devstack.Postgres); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(live, g.backup), os.Rename(live+".live", live), g.stack.Start(ctx, devstack.Postgres)); err != nil {
		return err
	}
	if err := run(ctx, "psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", dump, admin.String()); err != nil {
		return err
	}
	return g.stack.Start(ctx, devstack.Temporal)
}

// handOver gives the files of a backup to whoever owns the cluster.
func handOver(like, dir string) error {
	at, err := os.Stat(like)
	if err != nil {
		return err
	}
	who, ok := at.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("nobody can say who owns the cluster")
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, root.Lchown(path, int(who.Uid), int(who.Gid)))
	})
}

// run runs a program of PostgreSQL, of the version that the stack has.
func run(ctx context.Context, name string, args ...string) error {
	path := filepath.Join("/usr/lib/postgresql/15/bin", name)
	if _, err := os.Stat(path); err != nil {
		path = name
	}
	cmd := exec.CommandContext(ctx, path, args...) //nolint:gosec // names and addresses of our own
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.1000s", name, err, out)
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
