"""What runs in the perception server's process: the models, with torch and transformers."""
