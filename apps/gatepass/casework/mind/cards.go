package mind

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/toolset"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/tool"
)

// cardLasts is how long a card waits for its button.
const cardLasts = 30 * time.Minute

// verbs are what a card's button does, by its tool.
var verbs = map[string]finding.Words{
	"approve_gate_pass": {En: "approve this pass", Hi: "यह पास स्वीकृत करें"},
	"reject_gate_pass":  {En: "reject this pass", Hi: "यह पास अस्वीकृत करें"},
	"delete_gate_pass":  {En: "delete or revoke this pass", Hi: "यह पास हटाएँ या रद्द करें"},
}

// card is a tool that decides or destroys: the person confirms it, on what the record says of the pass when they are asked, when
// they press the button, and when it is done.
func (m *Mind) card(t toolset.Tool) tool.Tool {
	d := declared(t, tool.Outside)
	d.Gate, d.Deciders, d.ExpireAfter = tool.Confirm, nil, cardLasts
	run := func(ctx context.Context, e tool.Env, in cardArgs) (Told, error) {
		if e.Proposal == "" {
			return Told{}, tool.NotSent(fault.New(fault.Refused, "nobody confirmed this"))
		}
		args := map[string]any{"pass_number": string(in.PassNumber)}
		if in.Reason != "" {
			args["reason"] = in.Reason
		}
		c := callOf(e, t.Name, args)
		c.Version = int(in.Version)
		return m.effect(ctx, c)
	}
	ask := func(ctx context.Context, e tool.Env, in cardArgs) (tool.Found, Told, error) {
		told, err := run(ctx, e, in)
		if tool.IsNotSent(err) {
			return tool.No, told, nil
		}
		return tool.Yes, told, err
	}
	bound := tool.Binds(tool.Sends(d, run, ask), func(ctx context.Context, tx pgx.Tx, e tool.Env, in cardArgs) (cardArgs, error) {
		return m.bind(ctx, tx, e, t, in)
	})
	return tool.Finds(bound, func(ctx context.Context, tx pgx.Tx, e tool.Env, in cardArgs) (finding.Finding, error) {
		return cardOf(ctx, tx, e, t, in)
	})
}

// bind is a card as the record has its pass. Before anybody is asked the call is held against the conversation.
func (m *Mind) bind(ctx context.Context, tx pgx.Tx, e tool.Env, t toolset.Tool, in cardArgs) (cardArgs, error) {
	if e.Proposal == "" {
		talk, err := talkOf(ctx, tx, e)
		if err != nil {
			return in, err
		}
		args := map[string]any{"pass_number": string(in.PassNumber)}
		if in.Reason != "" {
			args["reason"] = in.Reason
		}
		if r := ruled(talk, Call{Tool: t.Name, Args: args}); r.Info != nil {
			told := stopped(r, talk.Lang)
			return in, fault.New(fault.Invalid, "%s. %s", told.Error.ErrorMessage, told.Error.UserGuidance)
		}
	}
	ref, err := store.ParseRef(string(in.PassNumber))
	if err != nil {
		return in, err
	}
	k, err := store.Load(ctx, tx, ref)
	if err != nil {
		return in, err
	}
	if k.Deleted() {
		return in, fault.New(fault.NotFound, "there is no pass %s", ref)
	}
	if err := possible(t, k, e); err != nil {
		return in, err
	}
	in.PersonName, in.Description, in.Status = fixed(clean(k.PersonName)), fixed(clean(k.Description)), fixed(k.Status)
	in.ValidFrom, in.ValidUntil = fixed(k.ValidFrom.UTC().Format(time.RFC3339)), fixed(k.ValidUntil.UTC().Format(time.RFC3339))
	in.Version = fixedInt(k.Version)
	return in, nil
}

// events are what the cards' tools do to a pass.
var events = map[string]pass.Event{"approve_gate_pass": pass.Approve, "reject_gate_pass": pass.Reject, "delete_gate_pass": pass.Delete}

// possible refuses a card whose button could not work as the pass stands: it says so before anybody is asked.
func possible(t toolset.Tool, k store.Kept, e tool.Env) error {
	by := e.For
	if !by.Known() { // the person presses the button
		by = e.Actor
	}
	q := pass.Request{Event: events[t.Name], By: pass.Actor{ID: by.ID, Name: by.Name, Role: pass.Admin}, At: e.At, Via: pass.Agent,
		Version: k.Version, Reason: "asked in a conversation"}
	_, err := pass.Rules{}.Apply(k.Pass, q)
	no, refused := errors.AsType[*pass.Refusal](err)
	if !refused {
		return err
	}
	return fault.New(fault.Conflict, "%s: it is %s", no.Error(), k.Status)
}

// cardOf is what the person reads: the pass as the database has it now.
func cardOf(ctx context.Context, tx pgx.Tx, e tool.Env, t toolset.Tool, in cardArgs) (finding.Finding, error) {
	k, err := store.Load(ctx, tx, store.Ref{Number: passRef(in.PassNumber)})
	if err != nil {
		return finding.Finding{}, err
	}
	setup, err := store.SetupIn(ctx, tx, e.Org)
	if err != nil {
		return finding.Finding{}, err
	}
	site, ok := setup.Site(k.SiteID)
	if !ok {
		site, _ = setup.Site("")
	}
	zone := site.Location()
	from, until := k.ValidFrom.In(zone).Format("2 Jan 2006 15:04"), k.ValidUntil.In(zone).Format("2 Jan 2006 15:04")
	verb := verbs[t.Name]
	f := finding.Finding{
		Subject: finding.Subject{Kind: finding.Person, Name: finding.Short(k.PersonName), Of: string(k.Number)},
		Brief:   finding.Words{En: "you are asked to " + verb.En, Hi: "आपसे पूछा जा रहा है: " + verb.Hi},
		Says: finding.Words{En: "Purpose: " + finding.Brief(k.Description) + ". It is " + string(k.Status) + " now.",
			Hi: "काम: " + finding.Brief(k.Description) + "। अभी स्थिति: " + statusHi[k.Status] + "।"},
		Value:  finding.Measured(finding.Words{En: "Valid from " + from + " until " + until, Hi: from + " से " + until + " तक मान्य"}),
		Limit:  finding.NotApplicable(finding.Words{En: "No limit is exceeded.", Hi: "कोई सीमा पार नहीं हुई।"}),
		Sure:   finding.NotApplicable(finding.Words{En: "It is what the record says now.", Hi: "यह वही है जो अभी दर्ज है।"}),
		Change: finding.Words{En: "Leave it, and tell the agent what you meant.", Hi: "इसे छोड़ दें और एजेंट को बताएँ कि आपका क्या मतलब था।"},
		Plain:  finding.Words{En: "A gate pass waits for your word.", Hi: "एक गेट पास आपके उत्तर की प्रतीक्षा में है।"},
		For: []finding.Point{finding.Say("Asked for by "+finding.Brief(k.CreatedBy.Name)+".",
			"अनुरोध: "+finding.Brief(k.CreatedBy.Name)+"।")},
		Personal: true,
	}
	if in.Reason != "" {
		f.For = append(f.For, finding.Say("Reason: "+finding.Brief(in.Reason), "कारण: "+finding.Brief(in.Reason)))
	}
	return f, nil
}

// statusHi are the statuses in Hindi.
var statusHi = map[pass.Status]string{pass.Pending: "लंबित", pass.Approved: "स्वीकृत", pass.Rejected: "अस्वीकृत", pass.Exited: "बाहर",
	pass.Returned: "वापस"}
