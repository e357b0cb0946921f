"""Analytic primitives: from depth pictures and masks to grasps, placements and contact motions. Pure numpy."""
