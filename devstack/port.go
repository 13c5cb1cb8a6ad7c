package devstack

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"

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

// freePort finds a loopback port nobody listens on and we have not given away.
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
		l, err := net.Listen("tcp4", net.JoinHostPort(loopback, strconv.Itoa(port)))
		if err != nil {
			continue
		}
		l.Close()
		return port, nil
	}
	return 0, fault.New(fault.Unavailable, "no free port on %s between %d and %d", loopback, lowestPort, lowestPort+span)
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
