"""What RPent's torch-based servers share: threads, devices, guards for checkpoints, a repaired torchvision."""
