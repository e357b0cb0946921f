"""Who may talk to the dashboard, about what, and what their browser may do with the answer."""
