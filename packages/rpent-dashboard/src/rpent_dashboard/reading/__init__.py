"""Run directories as the browser needs them: events, pictures, logs and the library, live or finished."""
