"""Run by LeRobot's interpreter: reads the dataset that is named, and prints what it saw as one line of JSON."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import av
import rpent_torch.vision
import torch  # noqa: TID253  (this file runs where torch is)

rpent_torch.vision.install()

import torchvision.io  # noqa: E402  (after the stand-ins)

if TYPE_CHECKING:
    from collections.abc import Iterator


class _VideoReader:
    """What torchvision had until 0.22, and LeRobot 0.4 asks where torchcodec is not installed; by PyAV."""

    def __init__(self, path: str, _stream: str) -> None:
        self._opened = av.open(path)
        self.container = self

    def seek(self, seconds: float, keyframes_only: bool = False) -> _VideoReader:
        stream = self._opened.streams.video[0]
        self._opened.seek(int(seconds / stream.time_base), stream=stream, backward=True)
        return self

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for frame in self._opened.decode(video=0):
            picture = torch.from_numpy(frame.to_ndarray(format="rgb24")).permute(2, 0, 1)
            yield {"pts": float(frame.pts * frame.time_base), "data": picture}

    def close(self) -> None:
        self._opened.close()


def main(folder: str) -> None:
    """Print what LeRobot reads."""
    if not hasattr(torchvision.io, "VideoReader"):
        torchvision.io.VideoReader = _VideoReader
        torchvision.set_video_backend = lambda _name: None
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    dataset = LeRobotDataset("local/toy", root=folder, delta_timestamps={"action": [0.0, 0.05, 0.10]})
    items = [dataset[index] for index in range(len(dataset))]
    statistics = dataset.meta.stats["action"]
    end = dataset.meta.episodes[0]["dataset_to_index"]
    print(
        json.dumps(
            {
                "count": [len(dataset), dataset.num_episodes],
                "action": [item["action"][0].tolist() for item in items],
                "state": [item["observation.state"].tolist() for item in items],
                "task": [item["task"] for item in items],
                "success": [bool(item["next.success"]) for item in items],
                "grey": [float(item["observation.images.front"].mean()) * 255 for item in items],
                "padding": [items[end - 3 + k]["action_is_pad"].tolist() for k in range(3)],
                "statistics": [statistics[name].tolist() for name in ("mean", "std", "min", "max")],
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
