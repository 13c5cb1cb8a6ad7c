package devstack

import (
	"context"
	"path/filepath"
	"syscall"
	"time"
)

// A spec says how one part is built, started and known to answer. The functions
// run with the folder locked and must be safe to repeat.
type spec struct {
	needs     []Part
	tool      tool          // the server, when it is built from devstack/tools
	ports     []string      // one loopback port each, by name
	endpoints []endpoint    // what people are shown of them
	patience  time.Duration // how long it may take to answer
	stop      syscall.Signal

	build   func(context.Context, *Stack) error           // when it is built otherwise
	version func(context.Context, *Stack) (string, error) // of what will run; the tool's unless set
	prepare func(context.Context, *Stack) error           // what must be there before it starts
	command func(context.Context, *Stack) (command, error)
	answers func(context.Context, *Stack) error // nil when the server really does its work
	settle  func(context.Context, *Stack) error // what must be inside it: databases, a namespace, a bucket
}

// An endpoint is one of a part's ports as a person would type it.
type endpoint struct{ before, port, after string }

// specs is the table of the parts.
func specs() map[Part]spec {
	return map[Part]spec{
		Postgres: {
			ports:     []string{"sql"},
			endpoints: []endpoint{{"postgres://", "sql", ""}},
			patience:  time.Minute,
			stop:      syscall.SIGINT, // its fast shutdown
			version:   postgresVersion, prepare: preparePostgres, command: postgresCommand,
			answers: postgresAnswers, settle: createDatabases,
		},
		Temporal: {
			needs: []Part{Postgres},
			tool: tool{name: "temporal", takes: "3 minutes",
				tags: []string{"disable_grpc_modules", "release"}},
			ports: []string{"frontend", "frontend-membership", "frontend-http", "history", "history-membership",
				"matching", "matching-membership", "worker", "worker-membership"},
			endpoints: []endpoint{{"", "frontend", ""}},
			patience:  3 * time.Minute,
			prepare:   prepareTemporal, command: temporalCommand, answers: temporalAnswers, settle: registerNamespace,
		},
		S3: {
			tool:      tool{name: "s3", takes: "2 minutes"},
			ports:     []string{"s3"},
			endpoints: []endpoint{{"http://", "s3", ""}},
			patience:  time.Minute,
			prepare:   prepareS3, command: s3Command, answers: s3Answers, settle: createBucket,
		},
		Mail: {
			tool:      tool{name: "mail", takes: "90 seconds"},
			ports:     []string{"smtp", "http"},
			endpoints: []endpoint{{"smtp://", "smtp", ""}, {"http://", "http", "/api/v1/messages"}},
			patience:  time.Minute,
			prepare:   prepareMail, command: mailCommand, answers: mailAnswers,
		},
		IMAP: {
			ports:     []string{"imap", "imaps"},
			endpoints: []endpoint{{"imap://", "imap", ""}, {"imaps://", "imaps", ""}},
			patience:  time.Minute,
			version:   imapVersion, prepare: prepareIMAP, command: imapCommand, answers: imapAnswers,
		},
		OIDC: {
			tool:      tool{name: "oidc", takes: "2 minutes", noC: true},
			ports:     []string{"http"},
			endpoints: []endpoint{{"http://", "http", "/dex"}},
			patience:  time.Minute,
			prepare:   prepareOIDC, command: oidcCommand, answers: oidcAnswers,
		},
		Collector: {
			tool:      tool{name: "collector", takes: "a minute"},
			ports:     []string{"http"},
			endpoints: []endpoint{{"http://", "http", ""}},
			patience:  time.Minute,
			prepare:   prepareCollector, command: collectorCommand, answers: collectorAnswers,
		},
		UI: {
			needs:     []Part{Temporal},
			tool:      tool{name: "temporalui", takes: "a minute"},
			ports:     []string{"http"},
			endpoints: []endpoint{{"http://", "http", "/namespaces/" + Namespace}},
			patience:  time.Minute,
			prepare:   prepareUI, command: uiCommand, answers: uiAnswers,
		},
		Commission: {
			ports:     []string{"http"},
			endpoints: []endpoint{{"http://", "http", "/"}},
			patience:  time.Minute,
			build:     buildCommission, version: commissionVersion, command: commissionCommand, answers: commissionAnswers,
		},
		Toxiproxy: {
			tool:      tool{name: "toxiproxy", takes: "half a minute"},
			ports:     []string{"api", "mail"},
			endpoints: []endpoint{{"http://", "api", "/proxies"}},
			patience:  time.Minute,
			command:   toxiproxyCommand, answers: toxiproxyAnswers,
		},
		Serve:  serveSpec(),
		Worker: gavelSpec("worker", workerAnswers),
	}
}

func specOf(p Part) spec { return specs()[p] }

// built makes the program of a part, where it is not there yet.
func (sp spec) built(ctx context.Context, s *Stack) error {
	switch {
	case sp.tool.name != "":
		return s.build(ctx, sp.tool)
	case sp.build != nil:
		return sp.build(ctx, s)
	}
	return nil
}

// versioned names the program a part is to run.
func (sp spec) versioned(ctx context.Context, s *Stack) (string, error) {
	if sp.version != nil {
		return sp.version(ctx, s)
	}
	dir, err := s.toolDir(ctx, sp.tool)
	return filepath.Base(dir), err
}

func (sp spec) prepared(ctx context.Context, s *Stack) error {
	if sp.prepare == nil {
		return nil
	}
	return sp.prepare(ctx, s)
}

func (sp spec) settled(ctx context.Context, s *Stack) error {
	if sp.settle == nil {
		return nil
	}
	return sp.settle(ctx, s)
}

// signal ends the part in an orderly way.
func (sp spec) signal() syscall.Signal {
	if sp.stop == 0 {
		return syscall.SIGTERM
	}
	return sp.stop
}
