"""LIBERO's tools, by what they are for: moving, looking, contact, learned policies."""
