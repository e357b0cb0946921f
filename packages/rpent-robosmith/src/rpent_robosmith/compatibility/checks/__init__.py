"""One file a group of checks. Each has `check(pair) -> Iterator[Issue]`."""
