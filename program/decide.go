package program

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

// A deciding is one decision as it is being made at a terminal.
type deciding struct {
	verb    review.Verdict
	word    string // the command, as people type it
	id      string
	reason  string
	edit    string // file with other arguments; empty for none
	inStead string
	ifMatch string // the ETag of what the person saw elsewhere; empty: what is read now
	grounds string // what the case rested on when they did; empty: what it rests on now
	yes     bool   // do not ask
}

const decidingLong = `

What would be done is printed in words, and you are asked. You decide on exactly what was
printed, and on the evidence there was then. If either has changed meanwhile, nothing is
decided and the command ends with code 6, saying what changed. A legal filing is approved
with a reason. --yes leaves the question out and is for what is routine. Mail that leaves
the organisation and legal filings always ask. It ends with code 5 where you don't have
access, and with 7 where others must approve it, too.`

func (c *cli) approveCommand() *cobra.Command {
	d := deciding{verb: review.Approve, word: "approve"}
	cmd := c.decisionCommand(&d, "Approve a proposal: what it says will be done", `  gavel approve P-881
  gavel approve P-881 --reason "checked against the roster" --yes
  gavel approve P-881 --edit arguments.json --reason "the second address is wrong"`)
	cmd.Flags().StringVar(&d.edit, "edit", "", "file with the arguments as they should be, as JSON; - for the standard input")
	_ = cmd.MarkFlagFilename("edit", "json")
	return cmd
}

func (c *cli) rejectCommand() *cobra.Command {
	return c.decisionCommand(&deciding{verb: review.Reject, word: "reject"}, "Reject a proposal: it will not be done",
		`  gavel reject P-881 --reason "the van was in the depot that day"`)
}

func (c *cli) sendBackCommand() *cobra.Command {
	return c.decisionCommand(&deciding{verb: review.SendBack, word: "send-back"}, "Send a proposal back with a question or a wish",
		`  gavel send-back P-881 --reason "name the station, and attach the readings"`)
}

func (c *cli) undoCommand() *cobra.Command {
	cmd := c.decisionCommand(&deciding{verb: review.Undo, word: "undo"}, "Undo an approval before it is carried out",
		`  gavel undo P-881 --reason "sent to the wrong depot" --yes`)
	cmd.Long = cmd.Short + `.

An approval can be undone for as long as gavel show says, until somebody begins to carry
it out. Both the approval and its undoing stay on record.`
	cmd.ValidArgsFunction = c.completes(oneID, undoIDs)
	return cmd
}

func (c *cli) decisionCommand(d *deciding, short, example string) *cobra.Command {
	cmd := &cobra.Command{
		Use:               d.word + " <proposal>",
		Short:             short,
		Long:              short + "." + decidingLong,
		Example:           example,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, inboxIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			d.id, d.reason = args[0], strings.TrimSpace(d.reason)
			return c.decide(cmd.Context(), *d)
		},
	}
	cmd.Flags().StringVar(&d.reason, "reason", "", "why, for the record; asked for on a terminal where it is needed")
	cmd.Flags().BoolVar(&d.yes, "yes", false, "do not ask; only for what is routine")
	cmd.Flags().StringVar(&d.ifMatch, "if-match", "", "the etag of what you have seen already, as gavel show -o json prints it")
	if d.verb != review.Undo {
		cmd.Flags().StringVar(&d.grounds, "grounds", "", "what the case rested on when you saw it, as gavel show -o json prints it")
		cmd.Flags().StringVar(&d.inStead, "in-stead-of", "", "whose right you use, where several delegated theirs to you")
	}
	return c.talksToServer(cmd)
}

// decide reads the proposal, shows it, asks, and sends the answer to what was
// shown.
func (c *cli) decide(ctx context.Context, d deciding) error {
	if err := d.complete(c.canAsk()); err != nil {
		return err
	}
	server, err := c.server()
	if err != nil {
		return err
	}
	p, err := server.Proposal(ctx, d.id)
	if err != nil {
		return err
	}
	if err := d.check(p); err != nil {
		return err
	}
	v := client.Verdict{Verdict: string(d.verb), InStead: d.inStead, Grounds: cmp.Or(d.grounds, p.Grounds)}
	if d.edit != "" {
		v.Verdict = string(review.Edit)
		if v.Edit, err = c.readBody(d.edit); err != nil {
			return err
		}
	}
	c.print.Zone = server.Zone()
	agreed, err := c.settle(ctx, server, p, &d, &v)
	if err != nil || !agreed {
		return err
	}
	decided, err := server.Decide(ctx, p.ID, p.ETag, rand.Text(), v)
	if fault.Is(err, fault.Stale) || fault.Is(err, fault.Conflict) {
		return c.whatChanged(ctx, server, p, err)
	}
	if err != nil {
		return err
	}
	return c.tellDecided(ctx, server, decided, d.verb)
}

// complete refuses what cannot be decided as it was given, before anything is
// asked of the server.
func (d *deciding) complete(canAsk bool) error {
	switch {
	case d.reason == "" && d.verb != review.Approve && !canAsk:
		return nobodyToAsk("--reason")
	case !d.yes && !canAsk:
		return fault.New(fault.Invalid, "there is nobody to ask whether to %s %.40s", d.word, d.id).
			WithNext("run it on a terminal, or with --yes where it is routine")
	case d.edit == "-" && !d.yes:
		return fault.New(fault.Invalid, "the standard input cannot hold both the arguments and your answer").WithNext("give --edit a file")
	}
	return nil
}

// check refuses an answer to what does not wait for one, or is not what the
// person saw before.
func (d *deciding) check(p client.Proposal) error {
	approved := p.State == string(review.Approved) || p.State == string(review.Edited)
	switch {
	case d.ifMatch != "" && d.ifMatch != p.ETag:
		return fault.New(fault.Stale, "%s is not what you saw: it is %s, with the etag %s; nothing was done", p.ID, spaced(p.State),
			p.ETag).WithNext("gavel show %s", p.ID)
	case d.verb == review.Undo && !approved:
		return fault.New(fault.Conflict, "%s is %s; only what was approved can be undone", p.ID, spaced(p.State)).
			WithNext("gavel show %s", p.ID)
	case d.verb != review.Undo && !p.Open():
		return fault.New(fault.Conflict, "%s is %s already; nothing was done", p.ID, spaced(p.State)).WithNext("gavel show %s", p.ID)
	}
	return nil
}

// settle shows what would be done and has the person agree, or makes sure that
// it need not be asked.
func (c *cli) settle(ctx context.Context, server *client.Client, p client.Proposal, d *deciding,
	v *client.Verdict) (agreed bool, err error) {
	item, inInbox, err := server.InboxItem(ctx, p.ID)
	if err != nil {
		return false, err
	}
	if d.yes {
		v.Reason = d.reason
		return true, d.allowed(item, inInbox)
	}
	began := time.Now()
	for _, line := range c.actInWords(p, item, *v) {
		fmt.Fprintln(c.talk, line)
	}
	if d.reason == "" && (d.verb != review.Approve || item.Class == client.Filing || item.Class == client.Weighty) {
		if d.reason, err = c.ask("Why do you "+strings.ReplaceAll(d.word, "-", " ")+" it", "--reason"); err != nil {
			return false, err
		}
	}
	v.Reason = d.reason
	answer, err := c.ask(upperFirst(d.word)+" "+p.ID+"? Type yes", "yes")
	if err != nil {
		return false, err
	}
	if answer != "yes" && answer != "y" {
		c.print.Say("nothing was decided; next: gavel inbox")
		return false, verdict(exitFailed)
	}
	v.Opened = seenAt(time.Since(began))
	return true, nil
}

// seenAt is what goes on record about how it was looked at.
func seenAt(d time.Duration) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"where":"terminal","seconds":%d}`, max(1, int(d.Seconds()))))
}

// allowed refuses to leave the question out where it may not be: only what the
// server calls routine is decided by a script. To undo is always safe.
func (d *deciding) allowed(item client.Item, inInbox bool) error {
	switch {
	case d.verb == review.Undo:
		return nil
	case !inInbox:
		return fault.New(fault.Refused, "%.40s is not in your inbox, and --yes is for what is routine in it", d.id).
			WithNext("run it on a terminal, without --yes: gavel %s %s", d.word, d.id)
	case item.Class != client.Routine:
		return fault.New(fault.Refused, "%.40s is %s, and not decided by --yes", d.id, withArticle(consequence(item.Class))).
			WithNext("run it on a terminal, without --yes: gavel %s %s", d.word, d.id)
	}
	return nil
}

// whatChanged reads the proposal again and says how it differs from what the
// person had before them.
func (c *cli) whatChanged(ctx context.Context, server *client.Client, was client.Proposal, refusal error) error {
	now, err := server.Proposal(ctx, was.ID)
	if err != nil {
		return refusal
	}
	changes := changesBetween(was, now)
	if len(changes) == 0 {
		return refusal
	}
	return fault.From(fault.KindOf(refusal), refusal, "%s changed since it was shown, and nothing was done: %s", was.ID,
		strings.Join(changes, "; ")).
		WithNext("gavel show %s", was.ID)
}

// tellDecided prints the proposal as it is after the decision, and says what
// comes next. It ends with code 7 while others still have to approve.
func (c *cli) tellDecided(ctx context.Context, server *client.Client, decided client.Proposal, verb review.Verdict) error {
	if whole, err := server.Proposal(ctx, decided.ID); err == nil { // what was decided is decided, whether it can be read or not
		decided = whole
	}
	if err := output.One(c.print, decided, decidedColumns(server)); err != nil {
		return err
	}
	waits := verb == review.Approve && decided.Open()
	if c.print.Format.ForPrograms() {
		if waits {
			return verdict(exitWaiting)
		}
		return nil
	}
	switch {
	case waits:
		c.print.Say("approved, and on record; %d of %d have, and it waits for the others", decided.Approvals(), decided.Required)
		return verdict(exitWaiting)
	case verb == review.Approve && decided.HeldUntil != nil:
		c.print.Say("it is carried out after that; until then: gavel undo %s --reason …", decided.ID)
	}
	return nil
}
