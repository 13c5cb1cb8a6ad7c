package surge

import "github.com/gavelhq/gavel/apps/airshed/rule/aqi"

// FromFeed makes tracks of what a feed of sub-indices said of many stations, in
// the order of the stations. A station of which the feed says nothing has an
// empty track, so that a scan lists it as left out. Reports of other stations,
// and of stations the feed does not place, are counted and not used.
func FromFeed(among []Station, reports []aqi.Report) (tracks []Track, others int, err error) {
	by := make(map[aqi.Site][]aqi.Report, len(among))
	for _, r := range reports {
		s, ok := Station{}, false
		if r.Placed {
			s, ok = Match(among, "", r.Station, r.Lat, r.Lon)
		}
		if !ok {
			others++
			continue
		}
		by[s.Site] = append(by[s.Site], r)
	}
	for _, s := range among {
		t, err := FromReports(s, by[s.Site])
		if err != nil {
			return nil, 0, err
		}
		tracks = append(tracks, t)
	}
	return tracks, others, nil
}
