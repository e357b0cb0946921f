"""RLDX-1 and GR00T-style ZeroMQ servers as policies for RPent, and the launcher of the real one."""
