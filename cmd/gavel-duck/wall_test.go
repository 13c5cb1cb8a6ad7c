package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain lets the test's own program be the one behind the wall: a limit holds until the process ends.
func TestMain(m *testing.M) {
	if os.Getenv("BEHIND_THE_WALL") == "" {
		os.Exit(m.Run())
	}
	if err := limit(2 << 30); err != nil {
		fmt.Println("no wall:", err)
		os.Exit(1)
	}
	db, err := open(Question{Memory: 2 << 30, Threads: 1})
	if err != nil {
		fmt.Println("no database:", err)
		os.Exit(1)
	}
	var n int
	fmt.Println("large:", db.QueryRow("select length(repeat('x', 2000000000))").Scan(&n))
	fmt.Println("small:", db.QueryRow("select 1").Scan(&n), n)
	_, err = db.Exec("copy (select 1) to '/tmp/made'")
	fmt.Println("file:", err)
}

// TestTheWallHoldsWhereDuckDBsOwnLimitDoesNot promises that two gigabytes of text fail at once, and that the program lives on: DuckDB
// alone takes almost four of them under a limit of 200 MB.
func TestTheWallHoldsWhereDuckDBsOwnLimitDoesNot(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BEHIND_THE_WALL=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(string(out), "\n")
	if !strings.HasPrefix(lines[0], "large: ") || strings.HasPrefix(lines[0], "large: <nil>") || !strings.Contains(string(out), "small: <nil> 1") ||
		!strings.Contains(string(out), "file: Permission") {
		t.Errorf("got %s", out)
	}
}
