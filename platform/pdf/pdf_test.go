//go:build unix

package pdf

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
)

var noon = time.Date(2025, 11, 14, 12, 0, 0, 0, time.UTC)

// program is a browser that does what a script says.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhoHasNoBrowserIsToldWhatToDo(t *testing.T) {
	var none *Printer
	_, err := none.Print(t.Context(), Page{HTML: []byte("x"), Made: noon})
	if _, next := fault.Words(err); none.Available() || !fault.Is(err, fault.Unavailable) || !strings.Contains(next, "GAVEL_BROWSER") {
		t.Errorf("got %v, %q", err, next)
	}
	for named, want := range map[string]fault.Kind{filepath.Join(t.TempDir(), "none"): fault.NotFound, t.TempDir(): fault.Invalid} {
		if _, err := Find(named); !fault.Is(err, want) {
			t.Errorf("%s: got %v, want %s", named, err, want)
		}
	}
}

func TestAPageHasBounds(t *testing.T) {
	p := New(Config{Browser: program(t, "exit 1")})
	for _, tt := range []struct {
		page Page
		want fault.Kind
	}{
		{Page{Made: noon}, fault.Invalid},
		{Page{HTML: []byte("x")}, fault.Invalid},
		{Page{HTML: make([]byte, MaxPage+1), Made: noon}, fault.TooLarge},
	} {
		if _, err := p.Print(t.Context(), tt.page); !fault.Is(err, tt.want) {
			t.Errorf("%d bytes: got %v, want %s", len(tt.page.HTML), err, tt.want)
		}
	}
}

func TestABrowserThatHangsIsEndedWithItsHelpersAndLeavesNothing(t *testing.T) {
	homes, note := t.TempDir(), filepath.Join(t.TempDir(), "pid")
	t.Setenv("TMPDIR", homes)
	p := New(Config{Browser: program(t, "sleep 300 & echo $! >"+note+"; wait"), Limit: 500 * time.Millisecond})
	_, err := p.Print(t.Context(), Page{HTML: []byte("x"), Made: noon})
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "not printed within") {
		t.Errorf("got %v", err)
	}
	text, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	helper, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	wait.Until(t, fmt.Sprintf("helper %d is gone", helper), func() bool { return gone(helper) })
	if left, err := os.ReadDir(homes); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// gone reports whether a process has ended; one that nobody has waited for counts.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ")
}

func TestABrowserThatFailsIsQuotedInTheLogAlone(t *testing.T) {
	for name, script := range map[string]string{
		"ends at once":   "echo no usable sandbox >&2; exit 1",
		"says nonsense":  `echo no usable sandbox >&2; printf 'nonsense\000' >&4; read -r x <&3`,
		"refuses a call": `echo no usable sandbox >&2; printf '{"id":1,"error":{"message":"not now"}}\000' >&4; read -r x <&3`,
	} {
		_, err := New(Config{Browser: program(t, script)}).Print(t.Context(), Page{HTML: []byte("x"), Made: noon})
		text, next := fault.Words(err)
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "no usable sandbox") || strings.Contains(text, "sandbox") ||
			next == "" {
			t.Errorf("%s: got %v; people read %q, %q", name, err, text, next)
		}
	}
}

func TestPagesWaitForTheirTurnAndNotTooMany(t *testing.T) {
	p := New(Config{Browser: program(t, "sleep 300"), Waiting: 1})
	ctx, stop := context.WithCancel(t.Context())
	ends := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := p.Print(ctx, Page{HTML: []byte("x"), Made: noon})
			ends <- err
		}()
	}
	wait.Until(t, "two pages wait", func() bool { return len(p.room) == 2 })
	if _, err := p.Print(ctx, Page{HTML: []byte("x"), Made: noon}); !fault.Is(err, fault.TooMany) {
		t.Errorf("the third: got %v, want too many", err)
	}
	stop()
	for range 2 {
		if err := <-ends; err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
			t.Errorf("called off: got %v", err)
		}
	}
}

func TestAPDFSaysTheDocumentsMoment(t *testing.T) {
	const was = "%PDF-1.4\n1 0 obj\n<</Title (x)\n/CreationDate (D:20261116062724+00'00')\n/ModDate (D:20261116062724+05'30')>>\n%%EOF\n"
	got, err := dated([]byte(was), noon)
	want := "%PDF-1.4\n1 0 obj\n<</Title (x)\n/CreationDate (D:20251114120000+00'00')\n/ModDate (D:20251114120000+00'00')>>\n%%EOF\n"
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	for _, no := range []string{"", "<html>", "%PDF-1.4 cut off"} {
		if got, err := dated([]byte(no), noon); err == nil {
			t.Errorf("%q passed for a PDF: %s", no, got)
		}
	}
}

func TestComplaintsAreKeptFromTheirEnd(t *testing.T) {
	var t2 tail
	for range 100 {
		_, _ = t2.Write(bytes.Repeat([]byte("a"), 100))
	}
	_, _ = t2.Write([]byte("the end"))
	if got := t2.err().Error(); len(got) > maxSaid+100 || !strings.HasSuffix(got, "the end") {
		t.Errorf("got %d bytes: %.40s", len(got), got)
	}
}
