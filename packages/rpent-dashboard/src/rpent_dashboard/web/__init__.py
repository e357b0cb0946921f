"""What the browser talks to: the application, its security and its routes."""
