"""What the fingers feel: whether something touches them on the inside, without saying what."""

from __future__ import annotations

from typing import Any

import mujoco


class FingerContacts:
    """The contacts of both fingers with anything that is not the robot's hand."""

    def __init__(self, env: Any) -> None:
        """Look up the fingers of a kitchen that has been reset (a robosuite environment of RoboCasa)."""
        self._model, self._data = env.sim.model._model, env.sim.data._data
        geoms = env.robots[0].gripper["right"].important_geoms
        self._fingers = {
            side: frozenset(int(self._model.geom(name).id) for name in geoms[f"{side}_finger"])
            for side in ("left", "right")
        }
        self._hand = frozenset.union(*self._fingers.values())

    def touching(self) -> dict[str, bool]:
        """Return for each finger, `left` and `right`, whether it touches something now."""
        mujoco.mj_collision(self._model, self._data)
        felt = dict.fromkeys(self._fingers, False)
        for pair in self._data.contact.geom:
            for side, geoms in self._fingers.items():
                inside = [int(geom) in geoms for geom in pair]
                if any(inside) and not all(int(geom) in self._hand for geom in pair):
                    felt[side] = True
        return felt
