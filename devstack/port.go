package devstack

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"syscall"

	"github.com/gavelhq/gavel/platform/fault"
)

// lowestPort is the first port we hand out.
const lowestPort = 15000

// reservePorts gives a part its ports. Once given they stay the part's until
// the folder is wiped, so that clients find a restarted server where it was.
func (s *Stack) reservePorts(p Part) error {
	for _, name := range specOf(p).ports {
		key := portKey(p, name)
		if s.state.Ports[key] != 0 {
			continue
		}
		port, err := s.freePort()
		if err != nil {
			return err
		}
		s.state.Ports[key] = port
	}
	return nil
}

// freePort takes a loopback port that nobody has and we have not given away.
// It stays below the range the kernel takes for outgoing connections: a client
// that redials a dead server there could be given the server's own port.
func (s *Stack) freePort() (int, error) {
	given := map[int]bool{}
	for _, port := range s.state.Ports {
		given[port] = true
	}
	span := firstEphemeralPort() - lowestPort
	for range 200 {
		port := lowestPort + rand.IntN(span)
		if given[port] {
			continue
		}
		socket, err := holdPort(port)
		if err != nil {
			continue
		}
		s.held = append(s.held, socket)
		return port, nil
	}
	return 0, fault.New(fault.Unavailable, "no free port on %s between %d and %d", loopback, lowestPort, lowestPort+span)
}

// holdPort takes a port and keeps it from everybody who chooses one as we do,
// until the socket is closed. The server it is meant for can listen on it all the
// same: Linux lets a socket with SO_REUSEADDR, which servers set, take a port from
// one that has it too and does not listen. We bind before we set it, so that a
// port somebody else holds is refused.
func holdPort(port int) (socket int, err error) {
	socket, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	to := &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
	if err = syscall.Bind(socket, to); err == nil {
		err = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	}
	if err != nil {
		return 0, errors.Join(err, syscall.Close(socket))
	}
	return socket, nil
}

// letGo closes the sockets that held the ports of parts that listen by now.
func (s *Stack) letGo() {
	for _, socket := range s.held {
		_ = syscall.Close(socket) // it is ours, and was never connected
	}
	s.held = nil
}

func firstEphemeralPort() int {
	data, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	var first int
	if err == nil {
		_, err = fmt.Sscan(string(data), &first)
	}
	if err != nil || first <= lowestPort {
		return 32768 // the kernel's default
	}
	return first
}

// loopback is the only address a part ever listens on.
const loopback = "127.0.0.1"

func portKey(p Part, name string) string { return string(p) + "/" + name }

func (s *Stack) port(p Part, name string) int { return s.state.Ports[portKey(p, name)] }

// address is the host:port of one of a part's ports.
func (s *Stack) address(p Part, name string) string {
	return net.JoinHostPort(loopback, strconv.Itoa(s.port(p, name)))
}
