package casework

import (
	"context"

	"github.com/gavelhq/gavel/apps/gatepass/rule/paper"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/qrcode"
)

// Sheet is a pass as it is printed, with its code where it has one.
func (d *Desk) Sheet(ctx context.Context, org identity.Org, k store.Kept, size paper.Size) ([]byte, error) {
	site, err := d.store.SiteOf(ctx, org, k.SiteID)
	if err != nil {
		return nil, err
	}
	sheet := paper.Sheet{Pass: k.Pass, Site: site.Name, Zone: site.Location(), Size: size}
	if k.HasQR() {
		text, err := d.Code(ctx, org, k)
		if err != nil {
			return nil, err
		}
		if sheet.Code, err = qrcode.SVG(text); err != nil {
			return nil, err
		}
	}
	return sheet.HTML(), nil
}
