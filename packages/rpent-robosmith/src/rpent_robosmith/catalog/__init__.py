"""The environments that RoboSmith knows: entries of YAML catalogs, and the search over them."""
