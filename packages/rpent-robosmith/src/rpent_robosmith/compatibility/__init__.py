"""Whether two artefacts fit together: checks with numbers in fields, and a suggested mapping."""
