"""RPent's meta distribution: its dependencies are its content."""
