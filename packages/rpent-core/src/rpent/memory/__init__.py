"""Memory: what earlier runs of a robot learned, as text on the disk.

One folder a robot: notes for every task (`global/`), for a family of tasks and for one task, and the recipe of
each task that the benchmark said was solved. A run sees a `MemoryView` of it; nothing is written but through
`rpent.memory.merge` and `rpent.memory.publish`, under a lock, whole or not at all.
"""
