"""What a run hands over: reports, plots, a film, the policy, a script that repeats it."""
