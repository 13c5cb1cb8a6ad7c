package devstack

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"text/template"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
)

//go:embed config/postgresql.conf.tmpl
var postgresConf string

// postgresHBA lets every role in from loopback with its password, and nobody else.
const postgresHBA = "host all all 127.0.0.1/32 scram-sha-256\n"

// AdminURL is the superuser's address of PostgreSQL, database postgres.
func (s *Stack) AdminURL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.adminURL()
}

func (s *Stack) adminURL() string {
	return s.databaseURL("postgres", s.secrets[secretSuperuser], "postgres")
}

func (s *Stack) databaseURL(role, password, database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(role, password),
		Host: s.address(Postgres, "sql"), Path: database, RawQuery: "sslmode=disable"}
	return u.String()
}

// postgresBinary finds a program of PostgreSQL 15 where Debian puts it, else
// on the PATH.
func postgresBinary(name string) (string, error) {
	if path := filepath.Join("/usr/lib/postgresql/15/bin", name); exists(path) {
		return path, nil
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fault.From(fault.NotFound, err, "find %s of PostgreSQL 15", name).
			WithNext("install it: apt-get install postgresql-15")
	}
	return path, nil
}

func postgresVersion(ctx context.Context, _ *Stack) (string, error) {
	path, err := postgresBinary("postgres")
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fault.From(fault.Unavailable, err, "ask %s for its version", path)
	}
	// "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
	fields := strings.Fields(string(out))
	if len(fields) < 3 || !strings.HasPrefix(fields[2], "15.") {
		return "", fault.New(fault.Invalid, "%s is %.60q, not PostgreSQL 15", path, bytes.TrimSpace(out)).
			WithNext("install it: apt-get install postgresql-15")
	}
	return fields[2], nil
}

// clusterDir is PostgreSQL's data directory.
func (s *Stack) clusterDir() string { return filepath.Join(s.state.PostgresHome, "postgres") }

// preparePostgres makes the cluster where it is missing and writes its
// configuration, with the port this folder gave it.
func preparePostgres(ctx context.Context, s *Stack) error {
	as, err := serverAccount()
	if err != nil {
		return err
	}
	if err := s.placePostgres(as); err != nil {
		return err
	}
	if err := s.awaitBackendsGone(ctx); err != nil {
		return err
	}
	if !exists(s.clusterDir()) {
		if err := s.initCluster(ctx, as); err != nil {
			return err
		}
	}
	var conf bytes.Buffer
	tmpl := template.Must(template.New("postgresql.conf").Parse(postgresConf))
	if err := tmpl.Execute(&conf, map[string]int{"Port": s.port(Postgres, "sql")}); err != nil {
		return fault.From(fault.Internal, err, "write postgresql.conf")
	}
	return errors.Join(
		writeFileFor(as, filepath.Join(s.clusterDir(), "postgresql.conf"), conf.Bytes()),
		writeFileFor(as, filepath.Join(s.clusterDir(), "pg_hba.conf"), []byte(postgresHBA)))
}

// initCluster makes the cluster beside its place and moves it there when it is
// complete: an interrupted one is never taken for a good one.
func (s *Stack) initCluster(ctx context.Context, as *syscall.Credential) error {
	initdb, err := postgresBinary("initdb")
	if err != nil {
		return err
	}
	half := s.clusterDir() + ".new"
	password := half + ".password"
	defer os.Remove(password)
	err = errors.Join(os.RemoveAll(half), os.Mkdir(half, 0o700), give(as, half),
		writeFileFor(as, password, []byte(s.secrets[secretSuperuser])))
	if err != nil {
		return fault.From(fault.Internal, err, "make the cluster's folder")
	}
	cmd := exec.CommandContext(ctx, initdb, "--pgdata="+half, "--username=postgres", "--pwfile="+password,
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums", "--no-instructions")
	cmd.Env, cmd.Dir = serverEnv(), half
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fault.From(fault.Internal, err, "make the cluster with initdb:\n%s", lastLines(string(out), 12))
	}
	if err := os.Rename(half, s.clusterDir()); err != nil {
		return fault.From(fault.Internal, err, "keep the new cluster")
	}
	return nil
}

func postgresCommand(_ context.Context, s *Stack) (command, error) {
	as, err := serverAccount()
	if err != nil {
		return command{}, err
	}
	path, err := postgresBinary("postgres")
	return command{path: path, args: []string{"-D", s.clusterDir()}, env: serverEnv(), dir: s.clusterDir(), as: as}, err
}

func postgresAnswers(ctx context.Context, s *Stack) error {
	conn, err := pgx.Connect(ctx, s.adminURL())
	if err != nil {
		return fault.From(fault.Unavailable, err, "connect to PostgreSQL")
	}
	defer conn.Close(ctx)
	var one int
	return conn.QueryRow(ctx, "SELECT 1").Scan(&one)
}

// serverAccount is who PostgreSQL runs as: ourselves, or the account postgres
// when we are root, because PostgreSQL refuses to be root.
func serverAccount() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fault.From(fault.NotFound, err, "PostgreSQL does not run as root and there is no account postgres").
			WithNext("run devstack as an ordinary user, or create the account: useradd --system postgres")
	}
	uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return nil, fault.From(fault.Internal, err, "read the account postgres")
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// awaitBackendsGone waits until no process works in the cluster's folder. The
// children of a killed postmaster live on for a moment, and a new one refuses
// to start beside them.
func (s *Stack) awaitBackendsGone(ctx context.Context) error {
	for deadline := time.Now().Add(killPatience); ; {
		left := processesIn(s.clusterDir())
		if len(left) == 0 || s.state.PostgresHome == "" {
			return nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return fault.New(fault.Unavailable, "processes %v of PostgreSQL do not end", left)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// processesIn lists the processes whose working folder is dir.
func processesIn(dir string) []string {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd") // only a malformed pattern is an error
	var pids []string
	for _, link := range links {
		if cwd, err := os.Readlink(link); err == nil && cwd == dir {
			pids = append(pids, strings.Split(link, "/")[2])
		}
	}
	return pids
}

// give makes a file the server account's own.
func give(as *syscall.Credential, name string) error {
	if as == nil {
		return nil
	}
	return os.Chown(name, int(as.Uid), int(as.Gid))
}

func writeFileFor(as *syscall.Credential, name string, data []byte) error {
	if err := writeFile(name, data, 0o600); err != nil {
		return err
	}
	return give(as, name)
}

// serverEnv is the whole environment a server starts with.
func serverEnv(more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LANG=C.UTF-8", "TZ=UTC"}, more...)
}
