"""The dashboard: watch, steer and compare runs in the browser."""
