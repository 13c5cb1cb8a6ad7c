package madeup

// What series are called, in the order in which charts take them. Some names have commas, units and small figures in
// them, as such names do.
var (
	fuels = []string{"Black Coal", "Gas", "Oil Products", "Hydro", "Onshore Wind", "Rooftop Solar", "Utility Solar", "Biomass",
		"Offshore Wind", "Battery, utility scale", "Pumped Hydro (8 h or more)", "Hydrogen", "Brown Coal", "Geothermal"}
	sectors = []string{"Power Generation", "Industry", "Transport", "Buildings", "Agriculture", "Land Use", "Net Imports", "Mining",
		"Waste", "Fugitives"}
	vehicles = []string{"Petrol", "Diesel", "Battery Electric", "Hybrid, plug-in", "Fuel Cell", "LPG"}
	uses     = []string{"Space Heating", "Water Heating", "Cooking", "Lighting", "Appliances", "Cooling"}
	goods    = []string{"Alumina", "Steel, primary", "Steel, recycled", "Cement", "Ammonia", "Chemicals (other)", "Paper", "Glass"}
	land     = []string{"Cropland", "Pasture", "Native Forest", "Plantation, new", "Wetland"}
	gases    = []string{"CO₂", "CH₄", "N₂O", "HFCs, PFCs and SF₆", "NF₃ (Mt CO₂-e)"}
	modes    = []string{"Road", "Rail", "Aviation (domestic)", "Shipping", "Pipelines", "Off-road", "Cycling", "Walking"}
	shops    = []string{"Offices", "Retail", "Cafe\u0301s and Restaurants", "Hospitals", "Schools"}
	herds    = []string{"Cattle", "Sheep", "Soils", "Manure", "Rice"}
	states   = []string{"Northhaven", "Southreach", "Eastmark", "Westlea", "Midland"}
	methods  = []string{"Plantings", "Soil carbon", "Direct air capture", "Bioenergy with CCS", "Blue carbon"}
	costs    = []string{"Generation", "Networks", "Storage", "Fuel", "Carbon", "Maintenance", "Retail costs", "Appliance costs", "Vehicles",
		"Buildings", "Imports", "Total"}
	pairs = []string{"On-grid", "Off-grid"}
)

// plans are the charts. What is special about some of them is laid over them by hand.
func plans() []plan {
	const sector, fuel, tech, use, kind = "process_sector0", "commodity_fuel1", "process_technology0", "process_end_use", "category"
	const mt, pj, twh = "Mt CO₂-e", "PJ", "TWh"
	return []plan{
		{"emissions", "Emissions reduction by sector", sector, sectors, 7, mt, falls, 100_00},
		{"emissions", "Net emissions overview", kind, []string{"Net emissions"}, 1, mt, falls, 401_05},
		{"emissions", "Emissions from electricity generation", fuel, fuels, 5, mt, falls, 60_00},
		{"emissions", "Emissions by gas", kind, gases, 5, mt, falls, 70_00},
		{"emissions", "Emissions intensity of electricity", kind, pairs, 2, "t CO₂-e/MWh", falls, 90},
		{"electricity", "Electricity generation by technology", tech, fuels, 14, twh, rises, 20_00},
		{"electricity", "Electricity capacity by technology", tech, fuels, 14, "GW", rises, 8_00},
		{"electricity", "Electricity demand by sector", sector, sectors, 9, twh, rises, 30_00},
		{"electricity", "Storage capacity", kind, pairs, 2, "GWh", rises, 12_00},
		{"electricity", "Renewable share of generation", kind, pairs, 2, "fraction", stays, 40_00},
		{"electricity", "Electricity use and emissions", sector, sectors, 5, "['TWh' 'Mt CO₂-e']", stays, 30_00},
		{"transport", "Domestic transport emissions by subsector", kind, modes, 8, mt, falls, 15_00},
		{"transport", "Domestic transport energy use by fuel", fuel, fuels, 12, pj, falls, 90_00},
		{"transport", "Road transport energy use by fuel", fuel, fuels, 7, pj, falls, 110_00},
		{"transport", "Road vehicle stock by drivetrain", kind, vehicles, 5, "%", stays, 20_00},
		{"transport", "Vehicle sales by drivetrain", kind, vehicles, 6, "thousand vehicles", rises, 80_00},
		{"transport", "Aviation energy use by fuel", fuel, fuels, 5, pj, falls, 40_00},
		{"transport", "Freight task by mode", kind, modes, 5, "billion tkm", rises, 120_00},
		{"industry", "Industry energy use by fuel", fuel, fuels, 10, pj, falls, 120_00},
		{"industry", "Industry emissions by subsector", kind, goods, 8, mt, falls, 12_00},
		{"industry", "Industry output by product", kind, goods, 8, "Mt", rises, 10_00},
		{"industry", "Industry electrification", kind, pairs, 2, "fraction", rises, 18},
		{"built_environment", "Building energy use by fuel", fuel, fuels, 8, pj, falls, 50_00},
		{"built_environment", "Building energy use by end use", use, uses, 6, pj, falls, 60_00},
		{"built_environment", "Dwellings and floor area", kind, pairs, 2, "['dwellings' 'm2']", rises, 500_00},
		{"built_environment", "Building emissions", fuel, fuels, 5, mt, falls, 9_00},
		{"residential", "Residential energy use by fuel", fuel, fuels, 6, pj, falls, 55_00},
		{"residential", "Residential energy use by end use", use, uses, 6, pj, falls, 45_00},
		{"residential", "Rooftop solar uptake by state", "state", states, 5, "GW", rises, 5_00},
		{"commercial", "Commercial energy use by fuel", fuel, fuels, 5, pj, falls, 35_00},
		{"commercial", "Commercial energy use by building type", kind, shops, 5, pj, falls, 25_00},
		{"commercial", "Commercial emissions by building type", kind, shops, 5, mt, falls, 4_00},
		{"agriculture", "Agriculture emissions by source", kind, herds, 5, mt, falls, 14_00},
		{"agriculture", "Agriculture energy use by fuel", fuel, fuels, 5, pj, falls, 20_00},
		{"agriculture", "Livestock numbers", kind, herds, 2, "million head", stays, 50_00},
		{"land_use", "Land use by type", kind, land, 5, "Mha", stays, 80_00},
		{"land_use", "Land use emissions", kind, pairs, 2, mt, flips, 30_00},
		{"land_use", "Carbon removals by method", kind, methods, 5, mt, rises, 3_00},
		{"hydrogen", "Hydrogen production by technology", tech, fuels, 5, pj, rises, 12_00},
		{"hydrogen", "Hydrogen use by sector", sector, sectors, 9, pj, rises, 6_00},
		{"hydrogen", "Hydrogen exports", kind, pairs, 2, "Mt", rises, 1_00},
		{"bioenergy", "Bioenergy supply by feedstock", kind, fuels, 10, pj, rises, 14_00},
		{"bioenergy", "Bioenergy use by sector", sector, sectors, 9, pj, rises, 11_00},
		{"gas", "Gas demand by sector", sector, sectors, 10, pj, falls, 70_00},
		{"gas", "Gas supply by basin", kind, fuels, 10, pj, falls, 75_00},
		{"gas", "Gas price by hub", kind, pairs, 2, "$/GJ", rises, 11_00},
		{"mining", "Mining energy use by fuel", fuel, fuels, 12, pj, falls, 40_00},
		{"mining", "Mining emissions by fuel", fuel, fuels, 7, mt, falls, 6_00},
		{"costs", "Energy system cost by component", kind, costs, 12, "$ billion", rises, 9_00},
		{"costs", "Household energy bill", kind, pairs, 2, "$ per year", falls, 2400_00},
		{"costs", "Population and households", kind, []string{"Population", "Households"}, 2, "million", rises, 27_00},
	}
}
