"""The privileged perceptor of simulators, and the matching of prompts with labels."""
