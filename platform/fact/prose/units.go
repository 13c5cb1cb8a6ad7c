package prose

import "maps"

// commonUnits are units any text may use: they are known so that a wrong one
// after a number is seen. A profile adds its own and their translations.
func commonUnits() map[string][]string {
	all := physicalUnits()
	maps.Copy(all, everydayUnits())
	return all
}

func physicalUnits() map[string][]string {
	return map[string][]string{
		"%":                 {"%", "per cent", "percent", "pc", "pct", "प्रतिशत", "फीसदी", "फ़ीसदी"},
		"percentage points": {"percentage points", "percentage point", "points", "pp", "प्रतिशत अंक", "प्रतिशत अंकों"},
		"% per year": {"% per year", "% a year", "per cent a year", "per cent per year", "percent a year", "percent per year",
			"प्रतिशत प्रति वर्ष"},
		"per year":   {"per year", "a year", "per annum", "annually", "प्रति वर्ष", "प्रतिवर्ष", "सालाना"},
		"per capita": {"per capita", "per person", "per head", "प्रति व्यक्ति"},
		"":           {"times", "fold", "गुना"},
		"Mt":         {"Mt", "megatonnes", "megatonne", "megatons", "मिलियन टन"},
		"Gt":         {"Gt", "gigatonnes", "gigatons", "billion tonnes"},
		"kt":         {"kt", "kilotonnes", "kilotons", "thousand tonnes"},
		"t":          {"tonnes", "tons", "tonne", "टन"},
		"kg":         {"kg", "kilograms", "kilogram", "kilogrammes", "किलोग्राम"},
		"g":          {"grams", "grammes", "ग्राम"},
		"PJ":         {"PJ", "petajoules", "petajoule", "पेटाजूल"},
		"EJ":         {"EJ", "exajoules"},
		"TJ":         {"TJ", "terajoules"},
		"GJ":         {"GJ", "gigajoules"},
		"MJ":         {"MJ", "megajoules"},
		"TWh":        {"TWh", "terawatt-hours", "terawatt hours", "टेरावाट घंटे"},
		"GWh":        {"GWh", "gigawatt-hours", "gigawatt hours"},
		"MWh":        {"MWh", "megawatt-hours", "megawatt hours"},
		"kWh":        {"kWh", "kilowatt-hours", "kilowatt hours"},
		"TW":         {"TW", "terawatts"},
		"GW":         {"GW", "gigawatts", "gigawatt", "गीगावाट"},
		"MW":         {"MW", "megawatts", "megawatt", "मेगावाट"},
		"kW":         {"kW", "kilowatts", "किलोवाट"},
		"μg/m3":      {"µg/m³", "micrograms per cubic metre", "micrograms", "माइक्रोग्राम"},
		"mg/m3":      {"mg/m³", "milligrams per cubic metre", "milligrams"},
		"ppm":        {"ppm", "parts per million"},
		"ppb":        {"ppb", "parts per billion"},
		"km":         {"km", "kilometres", "kilometers", "किमी", "किलोमीटर"},
		"m":          {"metres", "meters", "मीटर"},
		"mi":         {"miles", "mile"},
		"km/h":       {"km/h", "kilometres per hour", "kmph"},
		"m/s":        {"m/s", "metres per second", "meters per second"},
		"km2":        {"km²", "square kilometres"},
		"ha":         {"hectares", "hectare", "ha", "हेक्टेयर"},
	}
}

func everydayUnits() map[string][]string {
	return map[string][]string{
		"°C":       {"°C", "degrees Celsius", "degrees", "डिग्री"},
		"h":        {"hours", "hour", "hrs", "घंटे", "घंटा"},
		"min":      {"minutes", "minute", "मिनट"},
		"s":        {"seconds", "सेकंड"},
		"d":        {"days", "day", "दिन", "दिनों"},
		"week":     {"weeks", "week", "सप्ताह"},
		"month":    {"months", "month", "माह", "महीने"},
		"years":    {"years", "year", "वर्ष", "साल"},
		"₹":        {"₹", "rupees", "Rs", "रुपये", "रुपए"},
		"$":        {"$", "dollars", "USD"},
		"€":        {"€", "euros", "EUR"},
		"million":  {"million", "मिलियन"},
		"billion":  {"billion", "bn"},
		"thousand": {"thousand", "हज़ार"},
		"lakh":     {"lakh", "lakhs", "लाख"},
		"crore":    {"crore", "crores", "करोड़"},
		"litre":    {"litres", "litre", "liters", "लीटर"},
		"barrels":  {"barrels", "barrel"},
		"people":   {"people", "persons", "लोग", "व्यक्ति"},
		"vehicles": {"vehicles", "vehicle", "वाहन"},
	}
}
