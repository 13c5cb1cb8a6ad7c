package surge

// Stations lists the stations at Delhi's border and the interior ones they are set
// against, as the authority's list has them. It is the list to begin with; an
// operator's own may differ, and every function here takes the list it is given.
// Narela, Bawana and Mundka are industrial areas themselves. Rohini and DTU lie
// ten kilometres from any border, whatever has been said of Rohini; "Dwarka" is
// two stations. Stations whose official number is not known have a name of ours.
func Stations() []Station {
	h, u := []State{Haryana}, []State{UttarPradesh}
	near := func(haryana float64, district string, up float64, other string) []Nearest {
		return []Nearest{{Haryana, haryana, district}, {UttarPradesh, up, other}}
	}
	const dpcc, cpcb, imd = "DPCC", "CPCB", "IMD"
	return []Station{
		{"site_5024", "Alipur, Delhi", dpcc, 28.815329, 77.153010, Border, h, "N", near(2.4, "Sonipat", 4.7, "Ghaziabad"), ""},
		{"site_1426", "Narela, Delhi", dpcc, 28.822836, 77.101981, Border, h, "N", near(4.3, "Sonipat", 9.8, ""), ""},
		{"site_1560", "Bawana, Delhi", dpcc, 28.776200, 77.051074, Border, h, "NW", near(6.3, "Sonipat", 14.9, ""), ""},
		{"site_1561", "Mundka, Delhi", dpcc, 28.684678, 77.076574, Border, h, "W", near(10.3, "Jhajjar", 17.2, ""), ""},
		{"site_1427", "Najafgarh, Delhi", dpcc, 28.570173, 76.933762, Border, h, "W/SW", near(5.3, "Jhajjar", 35.5, ""), ""},
		{"dwarka-sector-8", "Dwarka-Sector 8, Delhi", dpcc, 28.5710274, 77.0719006, Border, h, "S/SW", near(5.9, "Gurugram", 22.0, ""), ""},
		{"site_115", "NSIT Dwarka, Delhi", cpcb, 28.609090, 77.0325413, Border, h, "SW", near(7.9, "Gurugram", 26.0, ""), ""},
		{"aya-nagar", "Aya Nagar, Delhi", imd, 28.4706914, 77.1099364, Border, h, "S", near(0.1, "Gurugram", 21.1, ""), ""},
		{"karni-singh-shooting-range", "Dr. Karni Singh Shooting Range, Delhi", dpcc, 28.498571, 77.264840, Border, h, "SE",
			near(1.2, "Faridabad", 7.5, "Gautam Buddha Nagar"), ""},
		{"site_1428", "Okhla Phase-2, Delhi", dpcc, 28.530785, 77.271255, Border, []State{Haryana, UttarPradesh}, "",
			near(4.2, "Faridabad", 4.5, "Gautam Buddha Nagar"), ""},
		{"site_301", "Anand Vihar, Delhi", dpcc, 28.646835, 77.316032, Border, u, "E", near(14.3, "", 0.1, "Ghaziabad"), ""},
		{"site_1435", "Vivek Vihar, Delhi", dpcc, 28.672342, 77.315260, Border, u, "E", near(17.1, "", 0.7, "Ghaziabad"), ""},
		{"ihbas-dilshad-garden", "IHBAS, Dilshad Garden, Delhi", cpcb, 28.6811736, 77.3025234, Border, u, "E",
			near(18.3, "", 2.1, "Ghaziabad"), ""},
		{"site_1432", "Sonia Vihar, Delhi", dpcc, 28.710508, 77.249485, Border, u, "NE", near(16.1, "", 2.8, "Ghaziabad"), ""},
		{"site_1431", "Patparganj, Delhi", dpcc, 28.623748, 77.287205, Border, u, "E", near(12.9, "", 3.4, ""), ""},
		{"site_1430", "Rohini, Delhi", dpcc, 28.732528, 77.119920, Interior, nil, "", near(12.0, "Sonipat", 10.5, ""), ""},
		{"dtu", "DTU, Delhi", cpcb, 28.7500499, 77.1112615, Interior, nil, "", near(10.3, "", 10.1, ""), ""},
		{"site_1434", "Wazirpur, Delhi", dpcc, 28.699793, 77.165453, Interior, nil, "", nil, ""},
		{"site_1423", "Jahangirpuri, Delhi", dpcc, 28.732820, 77.170633, Interior, nil, "", nil, ""},
		{"ito", "ITO, Delhi", cpcb, 28.628624, 77.241060, Interior, nil, "", nil, ""},
	}
}
