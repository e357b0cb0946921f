"""Making a policy fit a dataset or an environment: check, generate, validate."""
