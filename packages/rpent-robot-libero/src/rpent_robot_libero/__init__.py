"""LIBERO and LIBERO-PRO for RPent. The agent side is light; only `rpent_robot_libero.server` needs the simulator."""

__version__ = "0.1.0"
