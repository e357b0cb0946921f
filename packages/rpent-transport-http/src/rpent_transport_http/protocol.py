"""What client and server agree on."""

PATH = "/rpc"
"""The one route; requests are posted to it."""

MEDIA_TYPE = "application/vnd.rpent.rpc"
"""A message as `rpent.rpc.framing` joins it; a response may hold several."""
