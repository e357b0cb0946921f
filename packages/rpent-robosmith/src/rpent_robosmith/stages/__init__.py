"""The stages of a training run: plain functions from state to state, one a node of the graph."""
