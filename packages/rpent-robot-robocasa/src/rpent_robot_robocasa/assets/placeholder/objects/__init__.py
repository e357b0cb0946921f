"""Models of objects that lie about."""
