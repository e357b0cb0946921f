"""What needs torch and transformers at import: it is imported in a model server's environment only."""
