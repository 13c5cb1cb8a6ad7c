package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// ToolName is the tool that the act of a letter is of; the act bears the letter's id.
const ToolName = toolName

// A Copy is a mail with what it says, for who may read its case: what was said in the
// institution's name.
type Copy struct {
	Mail
	Content
	Erased bool // whom it went to was erased, and nobody can read it any more
}

// CopiesOf opens the newest mails of a case, newest first, at most MostListed. Whether the
// reader may read the case was asked before.
func (p *Post) CopiesOf(ctx context.Context, org identity.Org, id casefile.CaseID) ([]Copy, error) {
	return p.copies(ctx, org, `case_id = $2`, string(id))
}

// Copies opens mails by their ids, newest first; one of another organisation is not there.
// Whether the reader may read their cases was asked before.
func (p *Post) Copies(ctx context.Context, org identity.Org, ids []string) ([]Copy, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if len(ids) > MostListed {
		return nil, fault.New(fault.TooLarge, "at most %d mails are opened at once", MostListed)
	}
	return p.copies(ctx, org, `id = any($2)`, ids)
}

// Copy opens one mail of a case. One of another case is not found.
func (p *Post) Copy(ctx context.Context, org identity.Org, of casefile.CaseID, id string) (Copy, error) {
	all, err := p.Copies(ctx, org, []string{id})
	if err == nil && (len(all) == 0 || all[0].Case != of) {
		err = fault.New(fault.NotFound, "no letter of this case is called %.60q", id)
	}
	if err != nil {
		return Copy{}, err
	}
	return all[0], nil
}

// copies reads mails and opens them with one look at the keys.
func (p *Post) copies(ctx context.Context, org identity.Org, which string, of any) (all []Copy, err error) {
	type row struct {
		Mail
		Sealed []byte
	}
	err = p.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		list := `select ` + mailColumns + `, sealed from gavel.mail where org = $1 and ` + which + ` order by queued_at desc, id desc
			limit $3`
		rows, _ := tx.Query(ctx, list, org, of, MostListed)
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
		if err != nil {
			return err
		}
		sealed := make([]seal.Envelope, len(found))
		for i, r := range found {
			if sealed[i], err = seal.ParseEnvelope(r.Sealed); err != nil {
				return fmt.Errorf("mail %s: %w", r.ID, err)
			}
		}
		opened, err := p.vault.OpenAll(ctx, tx, org, sealedAs, sealed)
		if err != nil {
			return err
		}
		for i, r := range found {
			one, err := copyOf(r.Mail, opened[i])
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("open mails: %w", err)
	}
	return all, nil
}

// copyOf is a mail as it was opened.
func copyOf(m Mail, o seal.Opening) (Copy, error) {
	c := Copy{Mail: m}
	switch {
	case errors.Is(o.Err, seal.ErrErased):
		c.Erased = true
		return c, nil
	case o.Err != nil:
		return Copy{}, fmt.Errorf("open mail %s: %w", m.ID, o.Err)
	}
	if json.Unmarshal(o.Plain, &c.Content) != nil {
		return Copy{}, fault.New(fault.Internal, "open mail %s: what was sealed is no mail", m.ID) // the cause would quote it
	}
	return c, nil
}
