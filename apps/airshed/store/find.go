package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/search"
)

// Finds is what of Airshed people find by name and id: stations, episodes, scans and
// ingests. A station leads to its episodes.
func Finds() []search.Source {
	of := func(kind, statement string) search.Source {
		return search.Source{Kind: search.Kind(Name + "." + kind), Act: ActRead,
			Find: func(ctx context.Context, tx pgx.Tx, q search.Query) ([]search.Hit, error) {
				rows, _ := tx.Query(ctx, statement, q.Args())
				return pgx.CollectRows(rows, scanHit)
			}}
	}
	return []search.Source{of("station", findStations), of("episode", findEpisodes), of("scan", findScans), of("ingest", findIngests)}
}

func scanHit(row pgx.CollectableRow) (h search.Hit, err error) {
	h.App = Name
	err = row.Scan(&h.ID, &h.Title, &h.Says, &h.State, &h.At, &h.Exact, &h.Address)
	return h, err
}

// Statements of the search: id, title, message, state, moment, whether it was named, page.
// Stations are the same for every organisation; what was found at them is not.
var (
	findStations = `select s.site_id, s.name, '', 'search.station.' || s.kind, 'epoch'::timestamptz, s.site_id = lower(@text) as named,
			'/airshed/episodes?station=' || s.site_id
		from ref.station s
		where not exists (select from ref.station later where later.site_id = s.site_id and later.valid_from > s.valid_from)
			and ` + search.Fits(`s.site_id || ' ' || s.name`) + `
		order by named desc, s.name, s.site_id limit @most`
	findEpisodes = `select e.key, e.station, '', case when e.over then 'search.episode.over'
		else 'search.episode.on' end, e.start_at, e.key = @text as named,
			'/airshed/episodes/' || e.key
		from airshed.episode e where e.org = @org and ` + search.Fits(`e.station || ' ' || e.key`) + `
		order by named desc, e.start_at desc, e.key limit @most`
	findScans = `select s.id, '', 'air.scan', 'air.scan_is.' || s.state, s.began_at, s.id = upper(@text) as named, '/airshed/scans/' || s.id
		from airshed.scan s where s.org = @org and ` + search.Fits(`s.id`) + `
		order by named desc, s.began_at desc, s.id limit @most`
	findIngests = `select i.id, '', 'air.ingest', 'air.ingest_is.' || i.state, i.began_at, i.id = upper(@text) as named,
		'/airshed/ingests/' || i.id
		from airshed.ingest i where i.org = @org and ` + search.Fits(`i.id`) + `
		order by named desc, i.began_at desc, i.id limit @most`
)
