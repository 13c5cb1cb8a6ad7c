package config

import "path/filepath"

// NameBrowser is the program that makes PDFs.
const NameBrowser Name = "GAVEL_BROWSER"

func printing() []Setting {
	return []Setting{
		{Name: NameBrowser, Help: "Chromium, which makes PDFs of reports. If not set, it is looked for on the PATH. Without it reports " +
			"are pages to print",
			Expect: "the absolute path of a program", set: func(c *Config, v string) bool {
				c.Browser = v
				return filepath.IsAbs(v)
			}},
	}
}
