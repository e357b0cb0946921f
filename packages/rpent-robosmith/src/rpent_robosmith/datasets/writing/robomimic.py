"""HDF5 in robomimic's layout, https://robomimic.github.io/docs/datasets/overview.html."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from rpent.runs.files import plain

from rpent_robosmith.datasets.faults import library
from rpent_robosmith.datasets.hdf5_metadata import SUCCESS_FIELD
from rpent_robosmith.datasets.writing.api import DatasetWriter, Header

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robosmith.datasets.api import Episode

GYM_TYPE = 2
"""robomimic's `EnvType.GYM_TYPE`."""


class RobomimicWriter(DatasetWriter):
    """One file, an episode a group `data/demo_N`; success is in `task_successes`, at the last step."""

    def __init__(self, path: Path, header: Header) -> None:
        super().__init__(path, header)
        h5py = library("h5py", "h5py", "writing HDF5")
        self._file = h5py.File(self._partial, "w", track_order=True)
        self._data = self._file.create_group("data", track_order=True)

    def add(self, episode: Episode) -> None:
        """Write one episode."""
        demo = self._data.create_group(f"demo_{self.episodes}")
        length = len(episode.actions)
        demo.attrs["num_samples"] = length
        if episode.task:
            demo.attrs["ep_meta"] = json.dumps({"lang": episode.task})
        demo.create_dataset("actions", data=np.asarray(episode.actions, np.float64))
        ends = np.zeros(length, np.int64)
        ends[-1:] = 1
        demo.create_dataset("dones", data=ends)
        if episode.rewards is not None:
            demo.create_dataset("rewards", data=np.asarray(episode.rewards, np.float64))
        if episode.success is not None:
            demo.create_dataset(SUCCESS_FIELD, data=ends * int(episode.success))
        observations = demo.create_group("obs")
        for key, rows in episode.state.items():
            observations.create_dataset(key, data=rows)
        for key, frames in episode.pictures.items():
            camera = self.header.cameras[key]
            shape = (length, camera.height, camera.width, 3)
            array = observations.create_dataset(
                key, shape=shape, dtype=np.uint8, chunks=(1, *shape[1:]), compression="gzip"
            )
            for index, frame in enumerate(frames()):
                array[index] = frame
        self.episodes += 1
        self.frames += length

    def finish(self) -> Path:
        """Write the attributes and put the file in place."""
        header, attributes = self.header, self._data.attrs
        env = {
            "env_name": header.environment or "",
            "type": GYM_TYPE,
            "env_kwargs": plain(header.environment_settings),
        }
        attributes["env_args"] = json.dumps(env, sort_keys=True)
        attributes["total"] = self.frames
        attributes["control_rate_hz"] = header.fps
        if header.low:
            attributes["action_low"], attributes["action_high"] = header.low, header.high
        if header.action.names:
            attributes["action_names"] = json.dumps(list(header.action.names))
        self._file.close()
        self._partial.rename(self.path)
        return self.path

    def abandon(self) -> None:
        """Remove the file."""
        self._file.close()
        self._partial.unlink(missing_ok=True)
