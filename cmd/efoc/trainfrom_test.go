package main

import (
	"path/filepath"
	"regexp"
	"testing"
)

// TestTrainFrom trains on: at the start the MRR is the old model's, and a relation of a graph that has
// grown is new.
func TestTrainFrom(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	all := clockFacts()
	file := write(t, at("clock.tsv"), all)
	two := write(t, at("two.tsv"), regexp.MustCompile(`(?m)^.*plus3.*\n`).ReplaceAllString(all, ""))
	args := []string{"train", "--epochs", "4", "--trainer", "valid=10%", "--no-calibration", "-o"}
	old := efoc(t, append(args, at("old.efoc"), two, "--rank", "8")...)
	mrr := regexp.MustCompile(`validation MRR [0-9.]+`).FindString(old.stdout)
	if mrr == "" {
		t.Fatalf("train says %s", old.stdout)
	}

	efoc(t, append(args, at("same.efoc"), two, "--from", at("old.efoc"))...).
		want(t, statusOK, "rank 8, epoch ", "0 of 700 entities and 0 of 2 relations are new\nat the start: "+mrr)
	efoc(t, append(args, at("new.efoc"), file, "--from", at("old.efoc"))...).
		want(t, statusOK, "rank 8, epoch ", "0 of 700 entities and 1 of 3 relations are new")

	// The old model knows nothing of facts held out, as it was not calibrated by any.
	efoc(t, append(args, at("new.efoc"), file, "--from", at("old.efoc"))...).want(t, statusOK, "wrote", "are among those that the model of --from has learnt")
	efoc(t, append(args, at("new.efoc"), file, "--from", at("old.efoc"), "--rank", "9")...).want(t, statusUsage, "", "the model has rank 8, so that --rank cannot be 9")
	efoc(t, append(args, at("new.efoc"), file, "--from", at("old.efoc"), "--resume")...).want(t, statusUsage, "", "leave it out with --resume")
	efoc(t, append(args, at("new.efoc"), write(t, at("other.tsv"), "a\tr\tb\nb\tr\tc\n"), "--from", at("old.efoc"))...).
		want(t, statusUsage, "", "the model has none of the graph's entities")
}
