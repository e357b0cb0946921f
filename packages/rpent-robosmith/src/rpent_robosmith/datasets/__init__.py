"""Reading datasets episode by episode: LeRobot v2 and v3, HDF5 of robomimic and LIBERO, runs of RPent."""
