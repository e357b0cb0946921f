"""The fence around untrusted code: what the kernel can forbid a process for good, and what Python can besides."""
