"""Writing datasets episode by episode: HDF5 as robomimic reads it, and LeRobot v3.0."""
