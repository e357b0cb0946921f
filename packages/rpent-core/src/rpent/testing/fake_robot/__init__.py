"""A small robot for tests: a kinematic gripper over a table, served through the real RPC.

It needs no simulator and no GPU, and follows the env server contract, so that whatever is built on robots can
be tested end to end: services, crashes, snapshots, tools, planners, recordings.
"""
