package frame

import (
	"strings"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

func itemColumns(p *web.Page, settled bool) []ui.Column {
	columns := []ui.Column{{Title: p.T("gp.item")}, {Title: p.T("gp.quantity"), Num: true}, {Title: p.T("gp.serial")},
		{Title: p.T("gp.item_back")}}
	if settled {
		columns = append(columns, ui.Column{Title: p.T("gp.came_back")})
	}
	return columns
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// Settled says what of an item came back, and what is still out.
func Settled(p *web.Page, it item.Item) string {
	var parts []string
	for _, part := range []struct {
		key string
		n   item.Quantity
	}{{"good", it.Good}, {"damaged", it.Damaged}, {"lost", it.Lost}, {"open", it.Open()}} {
		if part.n > 0 {
			parts = append(parts, p.T("gp.settled."+part.key, "n", part.n.String()))
		}
	}
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, ", ")
}

// Carried is what is carried, in a line: the first things by name.
func Carried(p *web.Page, all []item.Item) string {
	const named = 2
	var names []string
	for i, it := range all {
		if i == named {
			return p.T("gp.and_more", "names", strings.Join(names, ", "), "n", Numeral(len(all)-named))
		}
		name := it.Name
		if it.Serial != "" {
			name += " " + it.Serial
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
