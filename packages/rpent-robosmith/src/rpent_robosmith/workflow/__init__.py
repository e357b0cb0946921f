"""The training graph: its state, its nodes, and how a run survives."""
