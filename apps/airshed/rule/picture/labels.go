package picture

// MapLabels are the words of a map. What stands in braces is filled in.
type MapLabels struct {
	Title string // {station}
	Desc  string // {station} {fires} {paths} {stations} {zone}: what is to be seen, in a sentence or two

	North, South, East, West string // after degrees; North stands by the arrow too
	Kilometres               string // {n}, by the scale
	Before                   string // {n}: so many hours before the air arrived

	Station  string // the one the episode is about; {station}
	Named    string // {station} {value}: its name and its PM2.5, where they stand on the map
	Border   string
	Interior string
	Silent   string    // gave no reading that still counts
	Fire     string    // {satellite}
	Others   string    // satellites without a shape of their own
	Ages     [3]string // of fires: less than a day before the hour 0, less than two, more
	Power    string    // {n}: a fire of so many MW
	Corridor string
	Path     string // the way of the hour that weighs most; {time} {zone}
	Cut      string // paths that end because the wind is not known any further
	Hour     string // {time} {n}: the fires of one hour

	Pixel       string // a mark is the middle of a pixel, not an address
	FiresLeft   string // {n}: so many weaker ones are not drawn
	FiresOff    string // {n}: so many lie outside the map
	StationsOff string // {n}
	PathsLeft   string // {n}
	NoWind      string // there is no corridor, because the wind is not known

	Unknown string // in the place of a value
	Abroad  string // outside India
	Yes, No string

	Tables  MapTables
	Columns MapColumns
}

// MapTables are the titles of a map's tables.
type MapTables struct{ Stations, Paths, Way, Fires string }

// MapColumns are the heads of their columns. Those of times get {zone}.
type MapColumns struct {
	Name, Role, PM25, Silent          string
	Latitude, Longitude, Width        string
	Arrives, Weight, Followed, Cut    string
	Before, Time                      string
	Satellite, Power, State, District string
}

// SeriesLabels are the words of the curves.
type SeriesLabels struct {
	Title string // {station}
	Desc  string // {station} {from} {to} {zone} {peak} {hours}

	PM25     string // over the axis, with its unit
	Index    string // over the axis
	Station  string // {station}, at the end of its line
	Interior string // at the end of its line
	Above    string // {n}, at a threshold
	Episode  string // over the hours of the episode
	Window   string // over the hours whose air was followed
	Surging  string // beside the strip of surge hours
	Hour     string // {time} {pm25} {interior} {index}: one hour, in words
	Gaps     string // {n}: so many hours of the station are not known
	Left     string // {n}: so many earlier hours are not drawn
	Unknown  string
	Yes, No  string

	Table   string
	Columns SeriesColumns
}

// SeriesColumns are the heads of the table of hours. That of times gets {zone}.
type SeriesColumns struct{ Time, PM25, Interior, Index, Surging string }

// SharesLabels are the words of the bars.
type SharesLabels struct {
	Title string
	Desc  string // {first} {value}
	Value string // {median} {low} {high}, in percent
	Range string // what the band is: in how many of the members
	Tick  string // what the tick is
	Each  string // what a thin line is
	Means string // what a share is a share of; it must stand beside every picture of shares
	Left  string // {n}: so many more are not drawn
	None  string // there is nothing to draw

	Unknown string
	Abroad  string

	Table   string
	Columns SharesColumns
}

// SharesColumns are the heads of the table of shares.
type SharesColumns struct{ Place, Median, Low, High, First string }
