// Command bare runs statements in DuckDB as it comes, with its own settings and types, and says how long the last one took and how much
// memory the process had. It is what bench/report is measured against, and a module of its own, for DuckDB is C++.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"syscall"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
}

func run(statements []string) error {
	start := time.Now() // opening is part of asking: on the other side a process begins for it
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	n := 0
	for _, s := range statements {
		rows, err := db.Query(s)
		if err != nil {
			return err
		}
		for n = 0; rows.Next(); n++ {
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	took := time.Since(start)
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	_, err = fmt.Printf("%d %d %d\n", took.Nanoseconds(), used.Maxrss, n)
	return err
}
