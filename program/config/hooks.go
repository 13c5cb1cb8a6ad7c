package config

// hooks are the settings of webhooks.
func hooks() []Setting {
	return []Setting{
		{Name: NameHooksLoopback, Help: "whether webhooks may lead to this machine, for trying them; refused in production", Default: "off",
			Expect: "on or off", set: func(c *Config, v string) bool {
				c.HooksLoopback = v == "on"
				return v == "on" || v == "off"
			}},
	}
}

// hooksLeadElsewhere: whoever registers a webhook could otherwise have the server
// speak to what only it can reach.
func hooksLeadElsewhere(c *Config) (Name, string) {
	if c.HooksLoopback {
		return NameHooksLoopback, "refused in production: who registers a webhook could reach what listens on this machine alone; remove it"
	}
	return "", ""
}
