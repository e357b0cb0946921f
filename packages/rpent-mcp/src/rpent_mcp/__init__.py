"""Serves the tools of an RPent robot to any MCP client."""
