package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Disk space below which a machine is in trouble. PostgreSQL stops at nothing
// left; a warning comes while there is time.
const (
	diskWarn = 5 << 30
	diskFail = 512 << 20
)

// Disk checks the space left where files are written. A folder that is not
// there yet is looked for at its nearest parent.
func Disk(folders ...string) Check {
	return Check{"Machine", "disk space", func(context.Context) Result {
		worst := Result{OK, "", ""}
		for _, folder := range folders {
			r := diskAt(existing(folder))
			if r.Detail != "" && (worst.Detail == "" || r.Status == Fail || r.Status == Warn && worst.Status == OK) {
				worst = r
			}
		}
		return worst
	}}
}

func diskAt(folder string) Result {
	free, total, err := space(folder)
	if errors.Is(err, errors.ErrUnsupported) {
		return Result{NotChecked, "not checked: this system does not say", ""}
	}
	if err != nil {
		return Result{Warn, fmt.Sprintf("%s cannot be looked at: %v", folder, err), "make sure the folder can be read"}
	}
	return diskResult(folder, free, total)
}

func diskResult(folder string, free, total uint64) Result {
	detail := fmt.Sprintf("%s free of %s at %s", gib(free), gib(total), folder)
	fix := "free some space at " + folder
	switch {
	case free < diskFail:
		return Result{Fail, detail, fix}
	case free < diskWarn:
		return Result{Warn, detail, fix}
	}
	return Result{OK, detail, ""}
}

func gib(n uint64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }

func existing(folder string) string {
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	for folder != filepath.Dir(folder) {
		if _, err := os.Stat(folder); err == nil {
			return folder
		}
		folder = filepath.Dir(folder)
	}
	return folder
}

// Zone checks that this program knows a time zone, and knows it right.
func Zone(name string, offset time.Duration) Check {
	return Check{"Machine", "time-zone data", func(context.Context) Result {
		const fix = "install the package tzdata"
		loc, err := time.LoadLocation(name)
		if err != nil {
			return Result{Fail, "the zone " + name + " is not known here", fix}
		}
		_, seconds := time.Now().In(loc).Zone()
		if got := time.Duration(seconds) * time.Second; got != offset {
			return Result{Fail, fmt.Sprintf("%s is %s from UTC here, and should be %s", name, got, offset), fix}
		}
		return Result{OK, fmt.Sprintf("%s is %s from UTC", name, offset), ""}
	}}
}
