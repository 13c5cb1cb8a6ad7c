package analysis

// A Word is how a share of Delhi's PM2.5 may be called. Nothing else may be said
// of one: "primary" needs more than half.
type Word string

// The words, from the least.
const (
	Minor        Word = "minor"
	Contributory Word = "contributory"
	Major        Word = "major"
	Largest      Word = "largest single source"
)

// The shares in percent at which the words begin; of the last only what is above.
const (
	contributoryFrom = 10
	majorFrom        = 25
	largestAbove     = 50
)

// WordFor is the word for a share in percent.
func WordFor(percent float64) Word {
	switch {
	case percent > largestAbove:
		return Largest
	case percent >= majorFrom:
		return Major
	case percent >= contributoryFrom:
		return Contributory
	}
	return Minor
}

// A GapCode names a gap, for whoever words it in another language.
type GapCode string

// The gaps.
const (
	FiresMissing     GapCode = "fires_missing"
	FiresStale       GapCode = "fires_stale"
	FiresWindow      GapCode = "fires_window_assumed"
	FiresDayOnly     GapCode = "fires_day_only"
	FiresUnusable    GapCode = "fires_unusable"
	StubbleMissing   GapCode = "dss_missing"
	StubbleOtherDay  GapCode = "dss_other_day"
	WindMissing      GapCode = "wind_missing"
	WindLevels       GapCode = "wind_levels_missing"
	MixingMissing    GapCode = "mixing_height_missing"
	WindEdge         GapCode = "wind_edge_reached"
	CloudUnknown     GapCode = "cloud_unknown"
	PlacesUnknown    GapCode = "boundaries_missing"
	DistrictsUnknown GapCode = "districts_unknown"
	RowPlaced        GapCode = "states_by_row"
	NearLine         GapCode = "near_state_line"
	HourlyUnknown    GapCode = "hourly_concentrations_missing"
	AirStale         GapCode = "air_stale"
	NullByTurns      GapCode = "null_test_by_turned_wind"
	RiseUntested     GapCode = "rise_untested"
	ControlMissing   GapCode = "no_interior_control"
)

// A WarningCode names a warning.
type WarningCode string

// The warnings.
const (
	StubbleTooHigh   WarningCode = "dss_above_70"
	StubbleOffSeason WarningCode = "dss_off_season"
	IndexOdd         WarningCode = "index_contradicts_pm25"
	StatesDisagree   WarningCode = "states_disagree"
	ValuesDropped    WarningCode = "values_dropped"
	StagesMixed      WarningCode = "stages_mixed"
	Contradicted     WarningCode = "readings_contradict"
	SourceStale      WarningCode = "source_stale"
)
