//go:build !unix

package pdf

import "os/exec"

// apart does nothing: there are no groups here.
func apart(*exec.Cmd) {}

// killAll ends a process at once.
func killAll(cmd *exec.Cmd) error { return cmd.Process.Kill() }
