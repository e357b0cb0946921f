"""The Panda arm and its hand: kinematics, reach and dimensions."""
