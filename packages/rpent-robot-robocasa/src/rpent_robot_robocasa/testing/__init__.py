"""What tests of the agent's side use in the simulator's place."""
