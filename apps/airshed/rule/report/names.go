package report

import "maps"

// hindiNames are the Hindi names of states and stations. What is not here keeps its
// own name.
func hindiNames() map[string]string {
	all := hindiStates()
	maps.Copy(all, hindiStations())
	return all
}

func hindiStates() map[string]string {
	return map[string]string{
		"Delhi": "दिल्ली", "Punjab": "पंजाब", "Haryana": "हरियाणा", "Uttar Pradesh": "उत्तर प्रदेश", "Rajasthan": "राजस्थान",
		"Himachal Pradesh": "हिमाचल प्रदेश", "Uttarakhand": "उत्तराखंड", "Madhya Pradesh": "मध्य प्रदेश", "Chandigarh": "चंडीगढ़",
		"Bihar": "बिहार", "Gujarat": "गुजरात", "Maharashtra": "महाराष्ट्र", "Jharkhand": "झारखंड", "Chhattisgarh": "छत्तीसगढ़",
		"West Bengal": "पश्चिम बंगाल", "Odisha": "ओडिशा", "Jammu and Kashmir": "जम्मू और कश्मीर", "Ladakh": "लद्दाख",
	}
}

func hindiStations() map[string]string {
	return map[string]string{
		"Alipur": "अलीपुर", "Narela": "नरेला", "Bawana": "बवाना", "Mundka": "मुंडका", "Najafgarh": "नजफगढ़",
		"Dwarka-Sector 8": "द्वारका-सेक्टर 8", "NSIT Dwarka": "एनएसआईटी द्वारका", "Aya Nagar": "आया नगर",
		"Dr. Karni Singh Shooting Range": "डॉ. कर्णी सिंह शूटिंग रेंज", "Okhla Phase-2": "ओखला फेज़-2", "Anand Vihar": "आनंद विहार",
		"Vivek Vihar": "विवेक विहार", "IHBAS, Dilshad Garden": "इहबास, दिलशाद गार्डन", "Sonia Vihar": "सोनिया विहार",
		"Patparganj": "पटपड़गंज", "Rohini": "रोहिणी", "DTU": "डीटीयू", "Wazirpur": "वज़ीरपुर", "Jahangirpuri": "जहाँगीरपुरी",
		"ITO": "आईटीओ",
	}
}
