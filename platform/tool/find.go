package tool

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
)

// Finds adds to a tool what people read first who are asked about a call of it: whom it
// is about, what was found, the value beside its limit, how sure that is, and what speaks
// for it and against it. Look is given the arguments as they are proposed, with what is
// read-only in them as the record has it, and computes the finding from the record: the
// same functions as those of Binds. It reads in the transaction it is given, and writes
// nothing.
//
// A Registry refuses a tool about which people may be asked and which finds nothing;
// only one that looks and needs nobody's leave may do without.
func Finds[In any](t Tool, look func(ctx context.Context, tx pgx.Tx, e Env, in In) (finding.Finding, error)) Tool {
	if look == nil {
		return t
	}
	t.find = func(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) (finding.Finding, error) {
		in, err := decode[In](t, e, args)
		if err != nil {
			return finding.Finding{}, err
		}
		return look(ctx, tx, e, in)
	}
	return t
}

// needsFinding reports whether people may be asked about the tool as a matter of course.
// Policy may have them asked about one that only looks, too: Find says then what that is.
func (t Tool) needsFinding() bool { return t.Effect != Read || t.Gate != Off }

// Find is what people read first about a call with these checked arguments. One that is
// not complete is Internal: the tool is wrong, and not who asks.
func (t Tool) Find(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) (finding.Finding, error) {
	if t.find == nil {
		return t.lookOnly(e), nil
	}
	f, err := t.find(ctx, tx, e, args)
	if err != nil {
		return f, err
	}
	if err := f.Check(); err != nil {
		words, _ := fault.Words(err)
		return f, fault.From(fault.Internal, err, "what %s finds cannot be shown: %s", t.FullName(), words)
	}
	return f, nil
}

// lookOnly is what is found about a call that only looks.
func (t Tool) lookOnly(e Env) finding.Finding {
	none := finding.NotApplicable(finding.Words{En: "Nothing is measured; it only reads.", Hi: "कुछ मापा नहीं जाता; यह केवल पढ़ता है।"})
	return finding.Finding{
		Subject: finding.Subject{Kind: "tool", Name: t.FullName(), Link: caseLink(e)},
		Brief:   finding.Words{En: "asks to read; nothing changes", Hi: "पढ़ने की अनुमति चाहिए; कुछ बदलता नहीं"},
		Says: finding.Words{En: "Your policy wants a person to allow this look-up.",
			Hi: "आपकी नीति चाहती है कि यह जानकारी देखने की अनुमति कोई व्यक्ति दे।"},
		Value: none, Limit: none, Sure: none,
		Change: finding.Words{En: "A policy that allows it unattended.", Hi: "ऐसी नीति जो इसे बिना पूछे होने दे।"},
		Plain:  finding.Words{En: "A look-up waits for a person's leave.", Hi: "जानकारी देखने की एक अनुमति बाकी है।"},
	}
}

func caseLink(e Env) string {
	if e.Case == "" {
		return ""
	}
	return "/cases/" + e.Case
}
