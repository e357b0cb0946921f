"""LeRobot policies for RPent: ACT, diffusion, SmolVLA, Pi0, Pi0.5 and third-party ones, from local checkpoints."""
