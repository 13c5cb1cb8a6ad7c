// Command demo tries the demonstration as a stranger would: it starts the installed
// program, opens the first page, decides the first thing that waits, verifies what came
// of it, presses Ctrl-C, and looks whether anything is left.
//
// The bars are a stranger's patience: a page after 15 seconds, a decision of their own
// within 60, a report of Airshed's before officers within 90. What is printed is bounded, too: eight lines.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/bench/visit"
	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/identity"
)

// What a demonstration has to keep.
const (
	barPage     = 15 * time.Second
	barDecision = 60 * time.Second
	barFiling   = 90 * time.Second // a report is drafted, worded and put before officers
	barLines    = 8
	barWaiting  = 3 // things that wait for who decides
)

// patience is for one demonstration, and tries is how many there are at most: seconds on a
// machine that others use as well are theirs too, so that the bar is kept once it is kept.
const (
	patience = 8 * time.Minute
	tries    = 3
)

var errLate = errors.New("a bar was not kept")

func main() {
	gavel := flag.String("gavel", "bin/gavel", "the program that is tried")
	patient := flag.Bool("patient", false, "print the seconds and let them pass, as where others are at the machine")
	tour := flag.Bool("tour", false, "walk through it in a browser as each role would, too; needs Chromium and Node")
	only := flag.String("only", "", "on the tour, these roles alone: hr,pass_admin,gate")
	pictures := flag.String("pictures", "",
		"take the pictures of README and documents into this folder, and measure nothing; needs Chromium and Node")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	for n := range tries {
		if n > 0 {
			fmt.Printf("\nonce more, %d of %d\n", n+1, tries)
		}
		if *pictures != "" {
			err = take(ctx, *gavel, *pictures)
			break
		}
		if err = try(ctx, *gavel, *tour, *only, *patient); !errors.Is(err, errLate) {
			break
		}
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench demo:", err)
		os.Exit(1)
	}
}

// take has a demonstration's pictures taken, once somebody has decided something in it and a
// report is before officers.
func take(ctx context.Context, gavel, to string) (err error) {
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	home, err := visit.Home()
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	begun, err := visit.Begin(ctx, gavel, ".", home)
	if err != nil {
		return err
	}
	v := &visitor{begun, gavel}
	defer func() { err = errors.Join(err, v.Leave()) }()
	if _, _, err := v.see(ctx, home); err != nil {
		return err
	}
	if to, err = filepath.Abs(to); err != nil {
		return err
	}
	return v.Walk(ctx, "pictures.mjs", "pictures", "--to", to)
}

func try(ctx context.Context, gavel string, tour bool, only string, patient bool) (err error) {
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	home, err := visit.Home()
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	begun, err := visit.Begin(ctx, gavel, ".", home)
	if err != nil {
		return err
	}
	v := &visitor{begun, gavel}
	defer func() { err = errors.Join(err, v.Leave()) }()
	page, err := v.firstPage(ctx)
	if err != nil {
		return err
	}
	decided, filing, err := v.see(ctx, home)
	if err != nil {
		return err
	}
	kept := func(ok bool) string {
		switch {
		case ok:
			return "kept"
		case !patient:
			err = errors.Join(err, errLate)
		}
		return "NOT kept"
	}
	if len(v.Lines) > barLines {
		return fmt.Errorf("%d lines are printed, at most %d asked", len(v.Lines), barLines)
	}
	fmt.Printf("lines printed: %d, at most %d asked: kept\n", len(v.Lines), barLines)
	fmt.Printf("first page after %.1f s, at most %.0f asked: %s\n", page.Seconds(), barPage.Seconds(), kept(page <= barPage))
	fmt.Printf("first decision, verified, after %.1f s, at most %.0f asked: %s\n", decided.Seconds(), barDecision.Seconds(),
		kept(decided <= barDecision))
	fmt.Printf("first report of Airshed's before officers after %.1f s, at most %.0f asked: %s\n", filing.Seconds(), barFiling.Seconds(),
		kept(filing <= barFiling))
	if tour && err == nil {
		var some []string
		if only != "" {
			some = []string{"--only", only}
		}
		return v.Walk(ctx, "tour.mjs", "tour", some...) // from the first page to a decided case and its verified file, once for each role
	}
	return err
}

// A visitor is somebody in front of a demonstration.
type visitor struct {
	*visit.Visit
	gavel string
}

// firstPage opens the page, and says how long after the start it is there.
func (v *visitor) firstPage(ctx context.Context) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.Page, http.NoBody)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", "text/html")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !bytes.Contains(text, []byte("made-up data")) {
		return 0, errors.Join(err, fmt.Errorf("the first page answers %s, and does not say that its data are made up", res.Status))
	}
	return time.Since(v.Began), nil
}

// see decides something, and waits for what Airshed puts before officers; it says when
// each was done.
func (v *visitor) see(ctx context.Context, home string) (decided, filing time.Duration, err error) {
	stack, err := v.Inside()
	if err != nil {
		return 0, 0, err
	}
	if decided, err = v.decide(ctx, stack, home); err != nil {
		return 0, 0, err
	}
	if err := v.mailbox(ctx); err != nil {
		return 0, 0, err
	}
	filing, err = v.filing(ctx, stack)
	return decided, filing, err
}

var named = regexp.MustCompile(`(?:href|src)="(/[^"#]*)"`)

// mailbox opens the mailbox once a mail has left, and all that its first page names: the style,
// and every mail.
func (v *visitor) mailbox(ctx context.Context) error {
	for {
		list, err := v.get(ctx, v.Mail)
		if err != nil {
			return err
		}
		if !strings.Contains(list, "/mail/") && ctx.Err() == nil {
			time.Sleep(200 * time.Millisecond)
			continue
		}
		all := named.FindAllStringSubmatch(list, -1)
		for _, m := range all {
			if _, err := v.get(ctx, strings.TrimSuffix(v.Mail, "/")+html.UnescapeString(m[1])); err != nil {
				return err
			}
		}
		fmt.Printf("the mailbox and %d things that its page names are there\n", len(all))
		return ctx.Err()
	}
}

// get is what a page of the demonstration says.
func (v *visitor) get(ctx context.Context, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", address, res.Status)
	}
	return string(text), err
}

// A thing is something that waits for somebody.
type thing struct {
	Proposal struct{ ID, Case, App, Tool string }
}

// waiting waits until so many things wait for somebody.
func (v *visitor) waiting(ctx context.Context, stack *devstack.Stack, as identity.Role, least int, counts func(thing) bool) (found []thing,
	err error) {
	for len(found) < least {
		var all []thing
		if err := v.run(ctx, stack, as, &all, "inbox", "-o", "json"); err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(all, func(t thing) bool { return !counts(t) })
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%d things wait for %s, not %d", len(found), as, least)
		}
	}
	return found, nil
}

// filing waits until a report of Airshed's waits for officers, and says when that was.
func (v *visitor) filing(ctx context.Context, stack *devstack.Stack) (time.Duration, error) {
	_, err := v.waiting(ctx, stack, identity.Officer, 1, func(t thing) bool {
		return strings.HasSuffix(t.Proposal.Tool,
			"send_caqm_report_tool")
	})
	return time.Since(v.Began), err
}

// decide decides the first thing that waits, from a terminal, and verifies its record.
func (v *visitor) decide(ctx context.Context, stack *devstack.Stack, home string) (time.Duration, error) {
	waiting, err := v.waiting(ctx, stack, identity.ProgrammeManager, barWaiting, func(thing) bool { return true })
	if err != nil {
		return 0, err
	}
	fmt.Printf("things that wait for a programme manager: %d\n", len(waiting))
	if err := v.run(ctx, stack, identity.ProgrammeManager, nil, "approve", waiting[0].Proposal.ID, "--reason", "tried as a stranger would",
		"--yes"); err != nil {
		return 0, err
	}
	took := time.Since(v.Began)
	return took, v.verify(ctx, stack, waiting[0].Proposal.Case, filepath.Join(home, "case.zip"))
}

// verify takes the case out of the house and checks it there, with the key it is signed
// with: whose that is, nobody can say of an institution that is made up.
func (v *visitor) verify(ctx context.Context, stack *devstack.Stack, id, file string) error {
	for { // what was decided is being done, and a case that changes meanwhile is asked for again
		err := v.run(ctx, stack, identity.Auditor, nil, "bundle", "export", id, "-f", file, "--to", "a stranger")
		if err == nil {
			break
		}
		if ctx.Err() != nil || !strings.Contains(err.Error(), "try again in a moment") {
			return err
		}
		time.Sleep(time.Second)
	}
	var unproven struct{ Signer string }
	looked, err := v.command(ctx, "verify", file, "--any-signer", "-o", "json").Output() // ends as unproven
	if json.Unmarshal(looked, &unproven) != nil {
		return fmt.Errorf("look at the bundle: %w", err)
	}
	said, err := v.command(ctx, "verify", file, "--key", unproven.Signer).Output()
	if err != nil {
		return fmt.Errorf("verify the bundle: %w: %s", err, said)
	}
	verdict, _, _ := strings.Cut(string(said), "\n")
	fmt.Println("the bundle of its case:", verdict)
	return nil
}

func (v *visitor) command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, v.gavel, args...) //nolint:gosec // whoever runs the bench names the program
}

// run runs a command of the program as somebody.
func (v *visitor) run(ctx context.Context, stack *devstack.Stack, as identity.Role, out any, args ...string) error {
	cmd := v.command(ctx, args...)
	cmd.Env = append(os.Environ(), "GAVEL_SERVER="+stack.Settings()["GAVEL_PUBLIC_URL"])
	for _, t := range stack.Tokens() {
		if t.Org == devstack.Organisations()[0] && t.Role == as {
			cmd.Env = append(cmd.Env, "GAVEL_TOKEN="+t.Token)
		}
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("gavel %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}
