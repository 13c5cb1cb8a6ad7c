package durable

import "go.temporal.io/sdk/converter"

// Converter is what a client of this configuration seals and opens with.
func Converter(c Config) converter.DataConverter { return c.converter() }
