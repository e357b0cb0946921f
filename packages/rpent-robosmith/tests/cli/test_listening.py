"""What a run shows where there is no terminal."""

from __future__ import annotations

import io

from rpent_robosmith.cli.listening import TerminalListener, bar


def test_what_is_whole_is_shown_once_for_each_thing():
    stream = io.StringIO()
    listener = TerminalListener(stream)
    for done in (0, 1, 3.9, 4, 4, 4):
        listener.progress("try rewards", done, 4)
    listener.progress("film", 0, 2)
    listener.progress("film", 2, 2)
    shown = [line.split("s  ", 1)[1] for line in stream.getvalue().splitlines()]
    assert [line.split(" [")[0] for line in shown] == ["try rewards", "try rewards", "film", "film"]
    assert [line.rsplit(" ", 1)[1] for line in shown] == ["0/4", "4/4", "0/2", "2/2"]


def test_nothing_is_said_to_be_done_before_it_is():
    assert bar(3.9, 4).endswith("] 3/4")
    assert bar(12_000, 50_000).endswith("] 12,000/50,000")
