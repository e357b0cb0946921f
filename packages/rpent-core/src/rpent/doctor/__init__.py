"""What `rpent doctor` checks: core's own checks, one idea a file, and what runs those of every plugin.

A check is a `rpent.specs.DoctorCheck`. It runs guarded and timed, and says with which command a fault is
mended.
"""
