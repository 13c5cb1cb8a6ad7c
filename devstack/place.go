package devstack

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gavelhq/gavel/platform/fault"
)

// memory is where Linux keeps files in memory, and leastMemory how much must be
// free there for a cluster whose tests make some thousand databases.
const (
	memory      = "/dev/shm"
	leastMemory = 4 << 30
)

// placePostgres decides once where the cluster lives: in the data folder; under
// /var/tmp when the server's account cannot reach the data folder (a checkout
// under /root, a test's temporary folder); in memory when that was asked for and
// there is room, where making a database takes an eighth of the time.
func (s *Stack) placePostgres(as *syscall.Credential) error {
	if s.state.PostgresHome != "" {
		return nil
	}
	home, beside := s.dir, ""
	switch {
	case s.inMemory && free(memory) >= leastMemory:
		beside = memory
	case as != nil && !reachable(s.dir, as):
		beside = "/var/tmp"
	}
	if beside != "" {
		sum := sha256.Sum256([]byte(s.dir))
		home = filepath.Join(beside, "gavel-devstack-"+hex.EncodeToString(sum[:8]))
		// An existing folder of that name is a stranger's or a lost stack's: a
		// stack that still knows it has it in its state.
		if err := os.Mkdir(home, 0o755); err != nil {
			return fault.From(fault.Conflict, err, "the cluster of %s has a folder of its own, and that is taken", s.dir).
				WithNext("remove %s if nothing uses it, or choose another --dir", home)
		}
		s.say("the cluster lives in %s", home)
	}
	s.state.PostgresHome = home
	return s.save()
}

// free is how many bytes a folder has room for; none where it does not exist.
func free(dir string) uint64 {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0
	}
	return fs.Bavail * uint64(fs.Bsize)
}

// reachable reports whether an account may pass through a folder and all above it.
func reachable(dir string, as *syscall.Credential) bool {
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		owner, ok := info.Sys().(*syscall.Stat_t)
		pass := info.Mode().Perm()&0o001 != 0
		if ok && owner.Uid == as.Uid {
			pass = info.Mode().Perm()&0o100 != 0
		} else if ok && owner.Gid == as.Gid {
			pass = info.Mode().Perm()&0o010 != 0
		}
		if !pass {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}
