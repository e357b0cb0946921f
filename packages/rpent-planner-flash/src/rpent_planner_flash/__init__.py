"""The zero-token planner: compiles an instruction into tool calls and grounds them in the live scene."""
