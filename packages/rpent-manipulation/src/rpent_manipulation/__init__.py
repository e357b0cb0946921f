"""What robots share: from depth pictures and masks to grasps, placements and contact motions, and servoing."""

from __future__ import annotations

__version__ = "0.1.0"
