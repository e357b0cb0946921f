"""For env servers on MuJoCo: the GL backend, a lazy renderer, contact forces. Needs the extra `mujoco`."""
