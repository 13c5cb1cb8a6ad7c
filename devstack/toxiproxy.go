package devstack

import (
	"context"
	"path/filepath"
	"strconv"
)

// toxiproxyCommand runs a proxy without any way through it. Who breaks things
// makes one over its API: from the port "mail" to the mail sink, say.
func toxiproxyCommand(ctx context.Context, s *Stack) (command, error) {
	dir, err := s.toolDir(ctx, specOf(Toxiproxy).tool)
	return command{
		path: filepath.Join(dir, "server"),
		args: []string{"-host", loopback, "-port", strconv.Itoa(s.port(Toxiproxy, "api"))},
		env:  serverEnv(),
	}, err
}

func toxiproxyAnswers(ctx context.Context, s *Stack) error {
	return answersOK(ctx, "http://"+s.address(Toxiproxy, "api")+"/version")
}
