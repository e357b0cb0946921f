"""The agent's side of worker processes: starting them, feeding them, hearing what they say."""
