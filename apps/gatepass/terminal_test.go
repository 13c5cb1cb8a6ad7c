package gatepass_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/gatepass/cli"
	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// A desk is somebody before a terminal: it speaks to the real API.
type desk struct {
	*parlour
	as     string
	answer bool // to what it is asked
	asked  int
	said   []string
	wait   func()
}

// run types a command, and is what it prints.
func (d *desk) run(ctx context.Context, typed string, args ...string) (printed string, err error) {
	call := func(ctx context.Context, method, path string, in, out any) error {
		return d.asks(ctx, d.as, method, path, in, out)
	}
	root := cli.Commands(platform.Terminal{
		Uses:   func(cmd *cobra.Command, _ ...string) *cobra.Command { return cmd },
		Silent: func(cmd *cobra.Command) *cobra.Command { return cmd },
		Call:   call,
		Say:    func(format string, args ...any) { d.said = append(d.said, fmt.Sprintf(format, args...)) },
		Sure: func(string, string) (bool, error) {
			d.asked++
			return d.answer, nil
		},
		Wait: func(ctx context.Context) error {
			if d.wait != nil {
				d.wait()
			}
			time.Sleep(20 * time.Millisecond)
			return ctx.Err()
		},
	})[0]
	var out bytes.Buffer
	root.SetArgs(append([]string{"chat"}, args...))
	root.SetIn(strings.NewReader(typed))
	root.SetOut(&out)
	root.SetErr(&out)
	root.SilenceUsage, root.SilenceErrors = true, true
	err = root.ExecuteContext(ctx)
	return out.String(), err
}

// asks sends a request as the program's client does.
func (p *parlour) asks(ctx context.Context, as, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	return p.sends(ctx, as, method, path, "application/json", body, out)
}

// sends sends a body of any type.
func (p *parlour) sends(ctx context.Context, as, method, path, media string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, p.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("As", as)
	req.Header.Set("Content-Type", media)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var got json.RawMessage
	if res.StatusCode != http.StatusNoContent {
		if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
			return err
		}
	}
	switch {
	case res.StatusCode >= 300:
		return fault.New(fault.Refused, "%s %s: %d %s", method, path, res.StatusCode, got)
	case out == nil:
		return nil
	}
	return json.Unmarshal(got, out)
}

// TestTheSameConversationInATerminal promises of the command what the page promises: what was said and done is printed, a card is asked
// about in the record's words, nothing of a model's text steers the terminal, and the conversation is the one that the page shows.
func TestTheSameConversationInATerminal(t *testing.T) {
	p := newParlour(t)
	d := &desk{parlour: p, as: "admin"}
	number := p.create(t, "hr")["pass_number"].(string)
	p.wanted("One \x1b[31mwaits\x07.", scripted.Call{Name: "list_pending_gate_passes", Args: map[string]any{}})
	got, err := d.run(t.Context(), "", "--role", "Admin_User", "What waits?")
	if want := "tool: list_pending_gate_passes : done\nagent: One [31mwaits.\n"; err != nil || got != want {
		t.Errorf("printed %q, %v, want %q", got, err, want)
	}
	for _, yes := range []bool{false, true} {
		d.answer, d.said = yes, nil
		p.wanted("So be it.", scripted.Call{Name: map[bool]string{false: "reject_gate_pass", true: "approve_gate_pass"}[yes],
			Args: map[string]any{"pass_number": number}})
		words := map[bool]string{false: "Reject ", true: "Approve "}[yes] + number
		got, err = d.run(t.Context(), words+"\n\n", "--role", "Admin_User")
		if err != nil || !strings.Contains(got, number+": "+map[bool]string{false: "left", true: "done"}[yes]) {
			t.Errorf("%s: printed %q, %v", words, got, err)
		}
		if card := strings.Join(d.said, "\n"); !strings.Contains(card, "Asha Rao") || !strings.Contains(card, "To the bank") {
			t.Errorf("the card says %q", card)
		}
	}
	if now := p.settled(t, "admin"); d.asked != 2 || !strings.Contains(wordsIn(now), "person: Approve "+number) {
		t.Errorf("asked %d times, and the page shows\n%s", d.asked, wordsIn(now))
	}
	p.wanted("Hello.")
	_, err = d.run(t.Context(), "", "--role", "Admin_User", "--new", "Hello")
	if now := p.settled(t, "admin"); err != nil || len(now["lines"].([]any)) != 2 {
		t.Errorf("a new conversation: %v, %v", err, now["lines"])
	}
	for _, role := range []string{"Gate_User", "Director"} {
		if got, err := d.run(t.Context(), "", "--role", role, "Hello"); err == nil {
			t.Errorf("an administrator talks as %s: %q", role, got)
		}
	}
}

// TestCtrlCStopsTheAnswer promises that who presses Ctrl-C stops the answer and not the conversation, and is told so.
func TestCtrlCStopsTheAnswer(t *testing.T) {
	p, asked := newParlour(t), make(chan struct{}, 20)
	p.hangs(asked)
	ctx, press := context.WithCancel(t.Context())
	defer press()
	d := &desk{parlour: p, as: "hr", wait: func() {
		select {
		case <-asked:
			press()
		default:
		}
	}}
	if _, err := d.run(ctx, "", "--role", "HR_User", "What waits?"); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	if !strings.Contains(strings.Join(d.said, "\n"), "The answer is stopped. The conversation waits.") {
		t.Errorf("said %q", d.said)
	}
	if now := p.settled(t, "hr"); now["state"] != "idle" || lastLine(now)["cut"] != true {
		t.Errorf("%v: %v", now["state"], now["lines"])
	}
}

// TestTheDemonstrationGoesByTheAPI promises what there is to try, on the real addresses: a pass in every state, somebody who is late,
// and people who go on asking, leaving and coming back.
func TestTheDemonstrationGoesByTheAPI(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := &parlour{rig: r}
	over, turns := errors.New("over"), 0
	names := map[identity.Role]string{identity.HR: "hr", identity.PassAdmin: "admin", identity.Gate: "gate"}
	stage := platform.Stage{
		Call: func(ctx context.Context, as identity.Role, method, path string, body, out any) error {
			return p.asks(ctx, names[as], method, path, body, out)
		},
		Send: func(ctx context.Context, as identity.Role, path, media string, body []byte, out any) error {
			return p.sends(ctx, names[as], http.MethodPost, path, media, body, out)
		},
		Wait: func(context.Context, time.Duration) error {
			if turns++; turns > 3 {
				return over
			}
			return nil
		},
	}
	demo := cli.Demo(fstest.MapFS{})
	if err := demo.Load(t.Context(), stage); err != nil {
		t.Fatal(err)
	}
	const states = `select status || ' ' || count(*) from gatepass.pass group by status order by status`
	if got := strings.Join(r.Texts(t, states), ", "); got != "approved 1, exited 2, pending 2, rejected 1, returned 1" {
		t.Errorf("it begins with %s", got)
	}
	if err := demo.Play(t.Context(), stage); !errors.Is(err, over) {
		t.Fatal(err)
	}
	if n := r.Number(t, `select count(*)::int from gatepass.pass where status = 'pending'`); n < 4 {
		t.Errorf("%d passes wait for a visitor", n)
	}
	for _, role := range []identity.Role{identity.HR, identity.PassAdmin, identity.Gate, identity.GateSupervisor} {
		places := map[string]bool{} // two in one place are shown as one
		for _, trial := range demo.Try {
			if trial.As == role {
				places[trial.Path] = true
			}
		}
		if len(places) < 3 {
			t.Errorf("%s has %d things to try", role, len(places))
		}
	}
	r.Want(t, 200, "gate", http.MethodGet, rest.Base+"/sites/main/onsite", nil)
}
