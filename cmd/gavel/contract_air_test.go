package main

import (
	"os"
	"path/filepath"

	"github.com/gavelhq/gavel/apps/airshed/lake/laketest"
)

// surge is the key of the one episode in november.
const surge = "site_5024@2025-11-12T02:30Z"

// november is a file of the data lake with one surge in it.
func (k *counter) november() string {
	k.t.Helper()
	return k.airFile("november.json", laketest.File(k.t, laketest.Surge(k.t)))
}

func (k *counter) airFile(name string, body []byte) string {
	k.t.Helper()
	file := filepath.Join(k.t.TempDir(), name)
	if err := os.WriteFile(file, body, 0o600); err != nil {
		k.t.Fatal(err)
	}
	return file
}

// airContracts are those of Airshed, which answers from files.
func airContracts() map[string]contract {
	of := func(args ...string) func(*counter) []string {
		return func(k *counter) []string { return append(append([]string{"airshed"}, args...), "--data", k.november()) }
	}
	return map[string]contract{
		"airshed scan":    {one: of("scan"), fail: words("airshed", "scan", "--data", "/nowhere/november.json"), failCode: 3},
		"airshed episode": {one: of("episode", surge), fail: of("episode", "alipur"), failCode: 2},
		"airshed report": {one: func(k *counter) []string { return append(of("report", surge)(k), "--into", k.t.TempDir()) },
			fail: of("report", "site_5024@2020-01-01T00:30Z"), failCode: 3},
		"airshed replay": {one: func(k *counter) []string {
			file := k.november()
			analysis := filepath.Join(filepath.Dir(file), "analysis.json")
			if got := (setup{}.run(k.t, "airshed", "episode", surge, "--data", file, "--out", analysis)); got.code != 0 {
				k.t.Fatal(got.talk)
			}
			return []string{"airshed", "replay", analysis, "--data", file}
		}, fail: func(k *counter) []string { return of("replay", k.airFile("empty.json", []byte("{}")))(k) }, failCode: 2},
	}
}
