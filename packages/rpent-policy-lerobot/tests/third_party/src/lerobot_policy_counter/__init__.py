"""Registers the policy `counter` with LeRobot when it is imported."""

from .configuration_counter import CounterConfig as CounterConfig
