"""The RoboCasa env server: the only part of this distribution that imports the simulator."""
