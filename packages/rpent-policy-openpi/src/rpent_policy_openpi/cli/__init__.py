"""Commands of this distribution."""
