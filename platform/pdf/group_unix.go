//go:build unix

package pdf

import (
	"os/exec"
	"syscall"
)

// apart puts a process into a group of its own, so that its helpers end with it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll ends a process and its group at once.
func killAll(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
