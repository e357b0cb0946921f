"""A session: tasks that run one after another, and a person who steers them."""
