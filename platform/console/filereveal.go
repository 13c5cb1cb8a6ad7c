package console

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// A pieceView is the page of one piece of evidence.
type pieceView struct {
	one casefile.Case
	card
	text  string // the beginning of it, where it is a text without rows
	cut   bool   // there is more of that
	typed string
	fault error // why it was not shown
}

// piece is the page of one piece of evidence, at its first rows. Sealed bytes are
// not opened by reading.
func (c *Console) piece(w http.ResponseWriter, r *http.Request) error {
	v, actor, err := c.readPiece(r)
	if err != nil {
		return err
	}
	if !v.sealed() {
		if err := c.openPiece(r, actor, &v); err != nil {
			return err
		}
	}
	return c.showPieceView(w, r, http.StatusOK, v)
}

// showPiece opens sealed evidence for a person who says why. That they were shown
// it is on record before they are.
func (c *Console) showPiece(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	v, actor, err := c.readPiece(r)
	if err != nil {
		return err
	}
	v.typed = r.PostForm.Get("reason")
	if v.fault = c.disclose(r, actor, v.one.ID, v.ID(), v.SHA256, v.typed); v.fault == nil {
		if err := c.openPiece(r, actor, &v); err != nil {
			return err
		}
		return c.showPieceView(w, r, http.StatusOK, v)
	}
	if !mendable(v.fault) {
		return v.fault
	}
	return c.showPieceView(w, r, web.Status(fault.KindOf(v.fault)), v)
}

// maxPlain is how much of a document that has no rows is shown, in bytes.
const maxPlain = 16 << 10

// openPiece opens a piece at its rows, or at its beginning where it is a text
// without any.
func (c *Console) openPiece(r *http.Request, actor identity.Actor, v *pieceView) error {
	v.open, v.closed = c.Evidence.Show(r.Context(), actor.Org, v.Piece)
	if err := unsaid(v.closed); err != nil || v.closed != nil || v.open != nil || v.snap == nil {
		return err
	}
	if kind := v.snap.Detected; !strings.HasPrefix(kind, "text/") && !strings.HasPrefix(kind, "application/json") {
		return nil
	}
	body, err := c.Evidence.Open(r.Context(), actor.Org, v.SHA256)
	if err != nil {
		v.closed = err
		return unsaid(err)
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxPlain+1))
	if err != nil {
		return err
	}
	v.cut = len(text) > maxPlain
	v.text = strings.ToValidUTF8(string(text[:min(len(text), maxPlain)]), "�")
	return nil
}

func (c *Console) disclose(r *http.Request, actor identity.Actor, id casefile.CaseID, what string, d blob.Digest, reason string) error {
	if err := c.Rules.May(actor, "case.reveal"); err != nil {
		return err
	}
	return c.Evidence.Disclose(r.Context(), actor, id, what, d, reason)
}

func (c *Console) showPieceView(w http.ResponseWriter, r *http.Request, status int, v pieceView) error {
	p := c.filePage(r, v.one)
	p.Title = p.T("piece.title", "id", v.ID(), "ref", v.one.Ref)
	return c.site.Render(w, r, status, p, pieceBody(p, v))
}

// readPiece reads the piece in the address: "3" or "E3".
func (c *Console) readPiece(r *http.Request) (v pieceView, actor identity.Actor, err error) {
	one, actor, err := c.factCase(r)
	if err != nil {
		return v, actor, err
	}
	v.one = one
	text := r.PathValue("n")
	if len(text) > 1 && text[0] == 'E' {
		text = text[1:]
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || len(text) > 6 {
		return v, actor, fault.New(fault.NotFound, "there is no evidence %.20q on this case", r.PathValue("n")).
			Because("nothing_called", "id", r.PathValue("n"))
	}
	if v.Piece, err = c.Evidence.Piece(r.Context(), actor.Org, one.ID, n); err != nil {
		return v, actor, err
	}
	snaps, err := c.Evidence.ReceivedAll(r.Context(), actor.Org, []blob.Digest{v.SHA256})
	if err != nil {
		return v, actor, err
	}
	if snap, ok := snaps[v.SHA256]; ok {
		v.snap = &snap
	}
	looks, err := c.Evidence.Disclosures(r.Context(), actor.Org, one.ID)
	v.looks = looksAt(looks, v.card)
	return v, actor, err
}

// showFact opens the sealed source of a fact, like showPiece.
func (c *Console) showFact(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	card, actor, err := c.readFact(r)
	if err != nil {
		return err
	}
	if card.sealed == nil {
		return fault.New(fault.Conflict, "%s is not sealed", card.Fact.ID).Because("not_sealed", "id", string(card.Fact.ID))
	}
	card.typed = r.PostForm.Get("reason")
	card.refused = c.disclose(r, actor, card.Case.ID, string(card.Fact.ID), card.sealed.SHA256, card.typed)
	switch {
	case card.refused != nil && !mendable(card.refused):
		return card.refused
	case card.refused != nil:
		return c.showFactCard(w, r, web.Status(fault.KindOf(card.refused)), card)
	}
	card.sealed = nil
	if err := c.openSource(r, actor, &card); err != nil {
		return err
	}
	return c.showFactCard(w, r, http.StatusOK, card)
}

// mayReveal reports whether to offer a look at sealed evidence.
func mayReveal(p *web.Page) bool { return p.May("case.reveal") }

// sealedSource is the sealed snapshot that a fact was read from; nil where its
// source may be read by whoever reads the case.
func (c *Console) sealedSource(r *http.Request, actor identity.Actor, digest string) (*evidence.Snapshot, error) {
	d, err := blob.Parse(digest)
	if err != nil {
		return nil, nil // entered without a document
	}
	snap, err := c.Evidence.Received(r.Context(), actor.Org, d)
	if err != nil || !snap.Sealed() {
		return nil, unsaid(err)
	}
	return &snap, nil
}
