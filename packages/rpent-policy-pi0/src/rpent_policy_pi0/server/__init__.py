"""What runs in the policy server's process: the model, with torch and transformers."""
