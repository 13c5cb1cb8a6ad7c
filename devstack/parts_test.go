package devstack_test

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

func TestPartsComeWithWhatTheyNeedInStartOrder(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{nil, "[postgres temporal]"},
		{[]string{"postgres"}, "[postgres]"},
		{[]string{"ui", "mail"}, "[postgres temporal mail ui]"},
		{[]string{"gavel"}, "[postgres temporal serve worker]"},
		{[]string{"s3", "s3"}, "[s3]"},
		{[]string{"all"}, "[postgres temporal s3 mail oidc serve worker]"}, // the UI only by name
	} {
		got, err := devstack.ParseParts(tt.names)
		if err != nil || fmt.Sprint(got) != tt.want {
			t.Errorf("%v: got %v, %v; want %s", tt.names, got, err, tt.want)
		}
	}
	if _, err := devstack.ParseParts([]string{"oracle"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("an unknown part: got %v", err)
	}
}

func TestEveryRoleHasAPersonAndDecidingRolesHaveTwo(t *testing.T) {
	count := map[string]int{}
	emails := map[string]bool{}
	for _, p := range devstack.People() {
		if len(p.More) == 0 { // the others are for offices that say more, or less
			count[p.Groups()[0]]++
		}
		if emails[p.Email] {
			t.Errorf("%s is there twice", p.Email)
		}
		emails[p.Email] = true
	}
	deciding := []identity.Role{identity.Officer, identity.ProgrammeManager, identity.PassAdmin}
	for _, org := range []string{"north", "south"} {
		for _, role := range identity.Roles() {
			want := 1
			if slices.Contains(deciding, role) {
				want = 2
			}
			group := "gavel/" + org + "/" + string(role)
			if got := count[group]; got != want {
				t.Errorf("%s: got %d people, want %d", group, got, want)
			}
		}
	}
}

// listeners are the addresses a process listens on, from the kernel's tables.
func listeners(t *testing.T, pid int) []string {
	t.Helper()
	sockets := map[string]bool{}
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil {
			if inode, ok := strings.CutPrefix(target, "socket:["); ok {
				sockets[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	var all []string
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue // no IPv6 here
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			const local, state, inode, listening = 1, 3, 9, "0A"
			if len(fields) > inode && fields[state] == listening && sockets[fields[inode]] {
				all = append(all, address(t, fields[local]))
			}
		}
	}
	if len(all) == 0 {
		t.Fatalf("process %d listens on nothing we can see", pid)
	}
	return all
}

// address reads "0100007F:3C2F" of /proc/net/tcp: the address's bytes are in
// the machine's order, four at a time.
func address(t *testing.T, entry string) string {
	t.Helper()
	host, port, _ := strings.Cut(entry, ":")
	ip, err := hex.DecodeString(host)
	if err != nil {
		t.Fatal(err)
	}
	for word := range slices.Chunk(ip, 4) {
		slices.Reverse(word)
	}
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort(net.IP(ip).String(), strconv.FormatUint(number, 10))
}

// alive reports whether a pid belongs to a running process.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
