"""Judging policies: statistics of seeded episodes, baselines, verdicts."""
