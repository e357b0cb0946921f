"""openpi's websocket protocol for RPent: policies of openpi servers, and RPent's policies for openpi clients."""
