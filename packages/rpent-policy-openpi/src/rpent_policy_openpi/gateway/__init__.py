"""A policy server behind openpi's protocol: keys, translation, and the websocket server."""
