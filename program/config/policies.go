package config

import "path/filepath"

// NamePolicies names a folder of policies that replace the ones built in.
const NamePolicies Name = "GAVEL_POLICIES"

func policies() []Setting {
	return []Setting{{Name: NamePolicies,
		Help:   "folder of policies that replace the ones built in: platform/*.cedar, <app>/*.cedar, <app>/acts/*.cedar",
		Expect: "the absolute path of a folder", set: func(c *Config, v string) bool {
			c.Policies = v
			return filepath.IsAbs(v) // what is in it is judged where policies are read, which can say file and line
		}}}
}
