"""Templates of plugin distributions, for `rpent new`; they are package data, so it works offline."""
