package devstack

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestAClusterLivesInMemoryWhereItIsAskedForAndThereIsRoom(t *testing.T) {
	for _, asked := range []bool{false, true} {
		s := &Stack{dir: t.TempDir(), log: io.Discard, inMemory: asked}
		if err := s.placePostgres(nil); err != nil {
			t.Fatal(err)
		}
		home := s.state.PostgresHome
		if home != s.dir {
			t.Cleanup(func() { _ = os.RemoveAll(home) })
		}
		if want := asked && free(memory) >= leastMemory; strings.HasPrefix(home, memory+"/") != want {
			t.Errorf("asked for memory: %v; it lives in %s", asked, home)
		}
		if err := s.placePostgres(nil); err != nil || s.state.PostgresHome != home {
			t.Errorf("it moved from %s to %s, %v", home, s.state.PostgresHome, err)
		}
	}
	if free(filepath.Join(t.TempDir(), "nowhere")) != 0 {
		t.Error("there is room where nothing is")
	}
}

func TestAPortIsHeldFromOthersUntilItsServerListens(t *testing.T) {
	s, other := &Stack{state: state{Ports: map[string]int{}}}, &Stack{}
	port, err := s.freePort()
	if err != nil {
		t.Fatal(err)
	}
	defer s.letGo()
	if socket, err := holdPort(port); err == nil {
		t.Errorf("another stack is given port %d too (socket %d)", port, socket)
	}
	server, err := net.Listen("tcp4", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		t.Fatalf("the server it is meant for: %v", err)
	}
	s.letGo()
	if _, err := holdPort(port); err == nil {
		t.Error("a port that a server has is given away")
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if socket, err := holdPort(port); err != nil {
		t.Errorf("a port that is free again: %v", err)
	} else {
		other.held = []int{socket}
		other.letGo()
	}
}
