"""The PI0 of transformers as a policy for RPent, from local checkpoints."""
