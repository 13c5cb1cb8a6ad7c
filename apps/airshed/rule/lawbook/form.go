package lawbook

// partA is the party's part of the form.
func partA() []Field {
	return []Field{
		{Key: "name", Label: "Name", By: Person},
		{Key: "parentage", Label: "Son, daughter or spouse of", By: Person},
		{Key: "address", Label: "Residing or employed at", By: Person},
		{Key: "source", Label: "Source of the electronic record", By: Person,
			Choices: []string{"Computer / Storage Media", "DVR", "Mobile", "Flash Drive", "CD/DVD", "Server", "Cloud", "Other"}},
		{Key: "source_other", Label: "If other, which", By: Person},
		{Key: "make_model", Label: "Make and model", By: Machine},
		{Key: "colour", Label: "Colour", By: Person},
		{Key: "serial_number", Label: "Serial number", By: Machine},
		{Key: "identifier", Label: "IMEI / UIN / UID / MAC / Cloud ID", By: Machine},
		{Key: "other_particulars", Label: "Other relevant information about the device or record", By: Person},
		{Key: "lawful_control", Label: "The device was under lawful control and in regular use for regular activities", By: Person,
			Choices: []string{"I affirm"}},
		{Key: "regularly_fed", Label: "Such information was regularly fed into it in the ordinary course of those activities", By: Person,
			Choices: []string{"I affirm"}},
		{Key: "working_properly", Label: "It was working properly throughout", By: Person, Choices: []string{"I affirm"}},
		{Key: "not_affected", Label: "If at any time it was not, that did not affect the record or its accuracy", By: Person,
			Choices: []string{"I affirm"}},
		{Key: "relation", Label: "The device is", By: Person, Choices: []string{"Owned", "Maintained", "Managed", "Operated"}},
		{Key: "hash_values", Label: "Hash value(s) of the record(s)", By: Machine},
		{Key: "hash_algorithm", Label: "Obtained by the algorithm", By: Person, Choices: hashBoxes()},
		{Key: "hash_report", Label: "Hash report enclosed", By: Person, Choices: []string{"Enclosed"}},
		{Key: "signed_name", Label: "Name of the signatory", By: Person},
		{Key: "signature", Label: "Signature", By: Person},
		{Key: "date", Label: "Date (DD/MM/YYYY)", By: Person},
		{Key: "time", Label: "Time (IST, 24 hours)", By: Person},
		{Key: "place", Label: "Place", By: Person},
	}
}

// partB is the expert's part of the form.
func partB() []Field {
	return []Field{
		{Key: "name", Label: "Name", By: Person},
		{Key: "parentage", Label: "Son, daughter or spouse of", By: Person},
		{Key: "address", Label: "Residing or employed at", By: Person},
		{Key: "source", Label: "Source of the electronic record", By: Person,
			Choices: []string{"Computer / Storage Media", "DVR", "Mobile", "Flash Drive", "CD/DVD", "Server", "Cloud", "Other"}},
		{Key: "source_other", Label: "If other, which", By: Person},
		{Key: "make_model", Label: "Make and model", By: Machine},
		{Key: "colour", Label: "Colour", By: Person},
		{Key: "serial_number", Label: "Serial number", By: Machine},
		{Key: "identifier", Label: "IMEI / UIN / UID / MAC / Cloud ID", By: Machine},
		{Key: "other_particulars", Label: "Other relevant information about the device or record", By: Person},
		{Key: "hash_values", Label: "Hash value(s) of the record(s)", By: Machine},
		{Key: "hash_algorithm", Label: "Obtained by the algorithm", By: Person, Choices: hashBoxes()},
		{Key: "hash_report", Label: "Hash report enclosed", By: Person, Choices: []string{"Enclosed"}},
		{Key: "signed_name", Label: "Name of the signatory", By: Person},
		{Key: "designation", Label: "Designation", By: Person},
		{Key: "signature", Label: "Signature", By: Person},
		{Key: "date", Label: "Date (DD/MM/YYYY)", By: Person},
		{Key: "time", Label: "Time (IST, 24 hours)", By: Person},
		{Key: "place", Label: "Place", By: Person},
	}
}

// hashBoxes are the algorithms the form names.
func hashBoxes() []string {
	return []string{"SHA1", "SHA256", "MD5", "Other (legally acceptable standard)"}
}
