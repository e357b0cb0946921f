"""From a policy and a dataset or environment to a checked, generated and executed wrapper."""
