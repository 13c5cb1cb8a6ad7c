package picture_test

import "github.com/gavelhq/gavel/apps/airshed/rule/picture"

// mapWords are words for the tests; pages have their own.
func mapWords() picture.MapLabels {
	return picture.MapLabels{
		Title: "Stations, fires and the way of the air to {station}",
		Desc: "{station} and {stations} stations in all; {fires} fires; the way of the air of {paths} hours. The tables hold every " +
			"point, in {zone}.",
		North: "N", South: "S", East: "E", West: "W", Kilometres: "{n} km", Before: "{n} h before",
		Station: "{station}, the station in question", Named: "{station}, {value} µg/m³", Border: "border station",
		Interior: "station inside the city", Silent: "silent too long", Fire: "fire, {satellite}", Others: "fire, another satellite",
		Ages: [3]string{"less than 24 h before", "24 to 48 h before", "earlier"}, Power: "{n} MW",
		Corridor: "where the air came from, hours", Path: "way of the air of {time} {zone}", Cut: "wind not known any further",
		Hour: "{time}: {n} fires", Pixel: "A mark is the centre of a pixel, not an address.", FiresLeft: "{n} weaker fires are not drawn.",
		FiresOff: "{n} fires lie outside the map.", StationsOff: "{n} stations are not on the map.", PathsLeft: "{n} paths are not drawn.",
		NoWind: "The wind is not known: there is no corridor.", Unknown: "not known", Abroad: "outside the country", Yes: "yes", No: "no",
		Tables: picture.MapTables{Stations: "Stations", Paths: "Paths of the air", Way: "The way of one hour", Fires: "Fires"},
		Columns: picture.MapColumns{Name: "Station", Role: "Role", PM25: "PM2.5, µg/m³", Silent: "Silent", Latitude: "Latitude",
			Longitude: "Longitude", Width: "Uncertain by, km",
			Arrives: "Arrived, {zone}", Weight: "Weight, %", Followed: "Followed, h", Cut: "Wind ended", Before: "Hours before",
			Time: "Time, {zone}", Satellite: "Satellite", Power: "Power, MW", State: "State", District: "District"},
	}
}

func seriesWords() picture.SeriesLabels {
	return picture.SeriesLabels{
		Title: "PM2.5 and index at {station}", Desc: "{station}, {from} to {to} {zone}: at most {peak} µg/m³, {hours} surge hours.",
		PM25: "PM2.5, µg/m³", Index: "Index of 24 hours", Station: "{station}", Interior: "inside the city", Above: "rule: {n}",
		Episode: "episode", Window: "air followed back", Surging: "surge hours",
		Hour: "{time}: PM2.5 {pm25}, inside {interior}, index {index}", Gaps: "{n} hours of the station are not known.",
		Left: "{n} earlier hours are not drawn.", Unknown: "not known", Yes: "yes", No: "no", Table: "Hour by hour",
		Columns: picture.SeriesColumns{Time: "Hour from, {zone}", PM25: "PM2.5", Interior: "Inside", Index: "Index", Surging: "Surge hour"},
	}
}

func sharesWords() picture.SharesLabels {
	return picture.SharesLabels{
		Title: "Shares by state", Desc: "{first} has the largest, {value}.", Value: "{median} % ({low}–{high})",
		Range: "9 of 10 members lie in the band", Tick: "median", Means: "Shares of the fires' influence, not of the particles in the air.",
		Left: "{n} more are not drawn.", None: "No shares.", Unknown: "not known", Abroad: "outside the country", Table: "Shares",
		Columns: picture.SharesColumns{Place: "State", Median: "Median, %", Low: "5 %", High: "95 %", First: "First in"},
	}
}
