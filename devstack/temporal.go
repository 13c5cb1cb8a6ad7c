package devstack

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"text/template"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
)

//go:embed config/temporal.yaml.tmpl
var temporalConf string

//go:embed config/temporal-dynamic.yaml
var temporalDynamic []byte

// Namespace is where Gavel's workflows live in Temporal.
const Namespace = "gavel"

// retention is how long Temporal keeps the history of a closed workflow.
const retention = 3 * 24 * time.Hour

func temporalBinary(ctx context.Context, s *Stack, name string) (string, error) {
	dir, err := s.toolDir(ctx, specOf(Temporal).tool)
	return filepath.Join(dir, name), err
}

// prepareTemporal brings the schemas of both databases to the server's version
// and writes the server's configuration.
func prepareTemporal(ctx context.Context, s *Stack) error {
	if err := os.MkdirAll(s.path("temporal"), 0o700); err != nil {
		return fault.From(fault.Internal, err, "make Temporal's folder")
	}
	for database, schema := range map[string]string{
		"temporal":            "postgresql/v12/temporal",
		"temporal_visibility": "postgresql/v12/visibility",
	} {
		if err := s.updateSchema(ctx, database, schema); err != nil {
			return err
		}
	}
	return s.writeTemporalConfig()
}

// updateSchema runs Temporal's own schema tool, whose schemas are built in.
func (s *Stack) updateSchema(ctx context.Context, database, schema string) error {
	fresh, err := s.lacksSchema(ctx, database)
	if err != nil {
		return err
	}
	steps := [][]string{{"update-schema", "--schema-name", schema}}
	if fresh {
		steps = [][]string{{"setup-schema", "--version", "0.0"}, steps[0]}
	}
	path, err := temporalBinary(ctx, s, "sql")
	if err != nil {
		return err
	}
	for _, step := range steps {
		cmd := exec.CommandContext(ctx, path, step...)
		cmd.Env = serverEnv("SQL_PLUGIN=postgres12_pgx", "SQL_HOST="+loopback,
			"SQL_PORT="+strconv.Itoa(s.port(Postgres, "sql")), "SQL_USER=temporal",
			"SQL_PASSWORD="+s.secrets[secretTemporal], "SQL_DATABASE="+database)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fault.From(fault.Internal, err, "%s of the database %s:\n%s", step[0], database, lastLines(string(out), 12))
		}
	}
	return nil
}

// lacksSchema reports whether a database has never been set up.
func (s *Stack) lacksSchema(ctx context.Context, database string) (bool, error) {
	conn, err := pgx.Connect(ctx, s.databaseURL("temporal", s.secrets[secretTemporal], database))
	if err != nil {
		return false, fault.From(fault.Unavailable, err, "connect to the database %s", database)
	}
	defer conn.Close(ctx)
	var fresh bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('schema_version') IS NULL").Scan(&fresh); err != nil {
		return false, fault.From(fault.Internal, err, "look for Temporal's schema in %s", database)
	}
	return fresh, nil
}

func (s *Stack) writeTemporalConfig() error {
	type service struct {
		Name                           string
		Port, MembershipPort, HTTPPort int
	}
	var services []service
	for _, name := range []string{"frontend", "history", "matching", "worker"} {
		services = append(services, service{name, s.port(Temporal, name), s.port(Temporal, name+"-membership"), 0})
	}
	services[0].HTTPPort = s.port(Temporal, "frontend-http")
	var conf bytes.Buffer
	tmpl := template.Must(template.New("temporal.yaml").Parse(temporalConf))
	err := tmpl.Execute(&conf, map[string]any{
		"Database": s.address(Postgres, "sql"),
		"Password": s.secrets[secretTemporal],
		"Services": services,
		"Frontend": s.address(Temporal, "frontend"),
		"Dynamic":  s.path("temporal", "dynamic.yaml"),
	})
	if err != nil {
		return fault.From(fault.Internal, err, "write temporal.yaml")
	}
	return errors.Join(
		writeFile(s.path("temporal", "temporal.yaml"), conf.Bytes(), 0o600),
		writeFile(s.path("temporal", "dynamic.yaml"), temporalDynamic, 0o644))
}

func temporalCommand(ctx context.Context, s *Stack) (command, error) {
	path, err := temporalBinary(ctx, s, "server")
	return command{
		path: path,
		args: []string{"--config-file", s.path("temporal", "temporal.yaml"), "--allow-no-auth", "start"},
		// Rarer collections raise the throughput by half; the limit keeps the
		// heap from growing into the other parts' memory.
		env: serverEnv("GOGC=400", "GOMEMLIMIT=1536MiB"),
	}, err
}

// temporalAnswers asks the frontend, and through it the history service and
// the database, once the namespace exists: an open port is not a healthy server.
func temporalAnswers(ctx context.Context, s *Stack) error {
	c, err := s.dialTemporal(ctx, Namespace)
	if err != nil {
		return err
	}
	defer c.Close()
	if !s.state.Parts[Temporal].Settled {
		return nil
	}
	return namespaceAnswers(ctx, c)
}

func (s *Stack) dialTemporal(ctx context.Context, namespace string) (client.Client, error) {
	c, err := client.DialContext(ctx, client.Options{HostPort: s.address(Temporal, "frontend"), Namespace: namespace,
		Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	if err != nil {
		return nil, fault.From(fault.Unavailable, err, "connect to Temporal")
	}
	return c, nil
}

// namespaceAnswers looks for a workflow that does not exist; only a server
// whose parts all work can say so.
func namespaceAnswers(ctx context.Context, c client.Client) error {
	_, err := c.DescribeWorkflowExecution(ctx, "devstack-is-anybody-there", "")
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return nil
	}
	return fault.From(fault.Unavailable, err, "ask Temporal for a workflow")
}

// registerNamespace makes Gavel's namespace.
func registerNamespace(ctx context.Context, s *Stack) error { return s.register(ctx, Namespace) }

// NewNamespace makes a namespace on the engine, for a test that is to meet no
// other's workflows. It goes with the stack.
func (s *Stack) NewNamespace(ctx context.Context, name string) error {
	s.mu.Lock() // only while the address is read: others register theirs meanwhile
	at := &Stack{state: state{Ports: maps.Clone(s.state.Ports)}}
	s.mu.Unlock()
	return at.register(ctx, name)
}

// register makes a namespace and waits until all services know it.
func (s *Stack) register(ctx context.Context, name string) error {
	c, err := s.dialTemporal(ctx, name)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, specOf(Temporal).patience)
	defer cancel()
	for {
		_, err = c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
			Namespace:                        name,
			WorkflowExecutionRetentionPeriod: durationpb.New(retention),
		})
		if _, ok := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); ok || err == nil {
			if err = namespaceAnswers(ctx, c); err == nil {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fault.From(fault.Unavailable, err, "register the namespace %s", name)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
