"""RPent's default language-model planner."""
