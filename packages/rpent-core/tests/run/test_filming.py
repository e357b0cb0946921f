"""Frames from env servers that record."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from rpent.errors import CallTimeoutError, RemoteError
from rpent.rpc.facade import Facade, Method
from rpent.run.filming import Filming
from rpent.testing import LocalChannel


class Camera:
    """An env server that records: each frame's pixels say its number."""

    def __init__(self):
        self.lock = threading.Lock()
        self.kept, self.made, self.failure, self.nonsense = [], 0, None, None

    def film(self, count):
        with self.lock:
            for _ in range(count):
                self.kept.append(np.full((4, 4, 3), self.made, np.uint8))
                self.made += 1

    def describe(self, call):
        return {"control_freq": 40}

    def record(self, call, enabled=True, size=256, every=20):
        return {}

    def frames(self, call):
        if self.failure is not None:
            raise self.failure
        if self.nonsense is not None:
            return self.nonsense
        with self.lock:
            kept, self.kept = self.kept, []
        return {"every": 8, "frames": np.reshape(np.array(kept, np.uint8), (-1, 4, 4, 3))}


class Video:
    """Stands for the recorder: what it was given."""

    def __init__(self):
        self.frames, self.seconds, self.shown, self.troubles = [], [], [], []
        self.came = threading.Condition()

    def frame(self, pixels, seconds, *, shown):
        with self.came:
            self.frames.append(int(pixels[0, 0, 0]))
            self.seconds.append(seconds)
            if shown:
                self.shown.append(int(pixels[0, 0, 0]))
            self.came.notify_all()

    def trouble(self, where, error):
        self.troubles.append((where, type(error)))

    def wait_for(self, count):
        with self.came:
            assert self.came.wait_for(lambda: len(self.frames) >= count, 10)


def filming(camera, video, *, live, concurrent=True):
    methods = {
        "describe": Method(handler=camera.describe),
        "record": Method(handler=camera.record),
        "frames": Method(handler=camera.frames, concurrent=concurrent),
    }
    made = Filming(LocalChannel(Facade(name="e", version="1", methods=methods)), video, live=live)
    made.start()
    return made


def test_spectators_get_frames_while_the_motion_goes_on():
    camera, video = Camera(), Video()
    film = filming(camera, video, live=True)
    with film.during_action():
        camera.film(3)
        video.wait_for(3)
        camera.film(2)
        video.wait_for(5)
    camera.film(1)
    film.fetch()
    assert video.frames == [0, 1, 2, 3, 4, 5], "each once, in order"
    assert set(video.seconds) == {0.2}
    assert video.shown == [2, 4], (
        "the newest of each look; after the motion, the step's own picture follows at once"
    )


@pytest.mark.parametrize(("live", "concurrent"), [(False, True), (True, False)])
def test_otherwise_they_are_fetched_after_it(live, concurrent):
    """A server that would answer only after the motion is not asked during it."""
    camera, video = Camera(), Video()
    film = filming(camera, video, live=live, concurrent=concurrent)
    before = threading.active_count()
    with film.during_action():
        camera.film(3)
        assert threading.active_count() == before
    assert video.frames == []
    film.fetch()
    assert video.frames == [0, 1, 2]
    assert video.shown == []


@pytest.mark.parametrize("failure", [RemoteError("no"), CallTimeoutError("late", request_id="1", method="f")])
def test_a_server_that_fails_costs_the_frames_only(failure):
    camera, video = Camera(), Video()
    film = filming(camera, video, live=True)
    camera.failure = failure
    with film.during_action():
        camera.film(1)
    film.fetch()
    assert video.frames == []


@pytest.mark.parametrize(
    ("nonsense", "error"),
    [({}, KeyError), ({"every": "often", "frames": []}, ValueError), ({"frames": 5}, TypeError)],
)
@pytest.mark.parametrize("live", [False, True])
def test_a_server_that_answers_nonsense_is_asked_no_more(nonsense, error, live):
    camera, video = Camera(), Video()
    film = filming(camera, video, live=live)
    camera.nonsense = nonsense
    with film.during_action():
        pass
    film.fetch()
    film.fetch()
    assert video.troubles == [("filming", error)]


def test_a_motion_that_fails_ends_the_fetching():
    film = filming(Camera(), Video(), live=True)
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), film.during_action():
        raise ZeroDivisionError
    assert threading.active_count() == before


def test_a_server_without_frames_is_left_alone():
    facade = Facade(name="e", version="1", methods={"describe": Method(handler=Camera().describe)})
    film = Filming(LocalChannel(facade), Video(), live=True)
    film.start()
    with film.during_action():
        film.fetch()
    Filming(None, Video(), live=True).fetch()
