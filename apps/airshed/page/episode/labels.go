package episode

import (
	"github.com/gavelhq/gavel/apps/airshed/rule/picture"
	"github.com/gavelhq/gavel/platform/web"
)

// mapLabels are the words of the map in the page's language.
func mapLabels(p *web.Page) picture.MapLabels {
	t := func(key string) string { return p.T("air.map." + key) }
	return picture.MapLabels{
		Title: t("title"), Desc: t("desc"), North: t("north"), South: t("south"), East: t("east"), West: t("west"), Kilometres: t("km"),
		Before: t("before"), Station: t("station"), Named: t("named"), Border: t("border"), Interior: t("interior"), Silent: t("silent"),
		Fire: t("fire"), Others: t("others"), Ages: [3]string{t("age_new"), t("age_mid"), t("age_old")}, Power: t("power"),
		Corridor: t("corridor"), Path: t("path"), Cut: t("cut"), Hour: t("hour"), Pixel: t("pixel"), FiresLeft: t("fires_left"),
		FiresOff: t("fires_off"), StationsOff: t("stations_off"), PathsLeft: t("paths_left"), NoWind: t("no_wind"),
		Unknown: p.T("air.unknown"), Abroad: t("abroad"), Yes: p.T("air.yes"), No: p.T("air.no"),
		Tables: picture.MapTables{Stations: t("t_stations"), Paths: t("t_paths"), Way: t("t_way"), Fires: t("t_fires")},
		Columns: picture.MapColumns{Name: t("c_name"), Role: t("c_role"), PM25: t("c_pm25"), Silent: t("c_silent"), Latitude: t("c_lat"),
			Longitude: t("c_lon"), Width: t("c_width"),
			Arrives: t("c_arrives"), Weight: t("c_weight"), Followed: t("c_followed"), Cut: t("c_cut"), Before: t("c_before"),
			Time: t("c_time"), Satellite: t("c_satellite"), Power: t("c_power"), State: t("c_state"), District: t("c_district")},
	}
}

// seriesLabels are the words of the curves.
func seriesLabels(p *web.Page) picture.SeriesLabels {
	t := func(key string) string { return p.T("air.series." + key) }
	return picture.SeriesLabels{
		Title: t("title"), Desc: t("desc"), PM25: t("pm25"), Index: t("index"), Station: t("station"), Interior: t("interior"),
		Above: t("above"), Episode: t("episode"), Window: t("window"), Surging: t("surging"), Hour: t("hour"), Gaps: t("gaps"),
		Left: t("left"), Unknown: p.T("air.unknown"), Yes: p.T("air.yes"), No: p.T("air.no"), Table: t("table"),
		Columns: picture.SeriesColumns{Time: t("c_time"), PM25: t("c_pm25"), Interior: t("c_interior"), Index: t("c_index"),
			Surging: t("c_surging")},
	}
}

// sharesLabels are the words of the bars.
func sharesLabels(p *web.Page) picture.SharesLabels {
	t := func(key string) string { return p.T("air.shares." + key) }
	return picture.SharesLabels{
		Title: t("title"), Desc: t("desc"), Value: t("value"), Range: t("range"), Tick: t("tick"), Each: t("each"),
		Means: t("means"), Left: t("left"), None: t("none"), Unknown: p.T("air.unknown"), Abroad: p.T("air.map.abroad"), Table: t("table"),
		Columns: picture.SharesColumns{Place: t("c_place"), Median: t("c_median"), Low: t("c_low"), High: t("c_high"), First: t("c_first")},
	}
}
