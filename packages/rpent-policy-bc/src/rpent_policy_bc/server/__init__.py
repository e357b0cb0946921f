"""What needs torch: the model, its training, and the policy that is served."""
