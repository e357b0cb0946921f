"""Which frames of before go with a question."""

import pytest
from rpent.policies.window import Window
from rpent.testing.policies.scripted import observed

VIDEO = (-6, -4, -2)


def frames_of(wanted, chunks, *, looks=True, start=0):
    """Return the steps relative to each question that go with it, and the window."""
    window, now, told = Window(wanted), start, []
    for length in chunks:
        window.see(observed(step=now))
        told.append([step for step, _ in window.before(now)])
        for done in window.within(length) if looks else []:
            window.see(observed(step=now + done))
        now += length
    return told, window


def test_with_chunks_of_eight_all_frames_are_of_the_last_chunk():
    told, window = frames_of(VIDEO, [8, 8, 8])
    assert window.within(8) == [2, 4, 6]
    assert told == [[], [-6, -4, -2], [-6, -4, -2]]
    assert window.exact


@pytest.mark.parametrize("length", range(1, 18))
@pytest.mark.parametrize("wanted", [VIDEO, (-1,), (-5, -3), (-16, -8), (-7,), ()])
def test_whatever_the_length_of_a_chunk_each_wanted_step_was_looked_at_and_no_other(wanted, length):
    questions = 24
    told, window = frames_of(wanted, [length] * questions, start=100)
    assert window.exact
    assert told[-1] == sorted(wanted)
    looked = {length * chunk + done for chunk in range(questions) for done in window.within(length)}
    needed = {length * question + ago for question in range(200) for ago in wanted}
    ends = set(range(0, length * questions + 1, length))
    assert looked == {step for step in needed - ends if 0 < step < length * questions}


def test_at_the_beginning_there_is_nothing_before_the_first_frame():
    told, window = frames_of(VIDEO, [3, 3, 3])
    assert told[:2] == [[], [-3, -2]], "what would be before the beginning is its first frame"
    assert window.exact


def test_without_looking_on_the_way_the_nearest_frame_goes_and_it_says_so():
    told, window = frames_of(VIDEO, [8, 8, 8], looks=False)
    assert told == [[], [-8], [-8]]
    assert not window.exact
    assert frames_of(VIDEO, [2] * 9, looks=False)[1].exact, "the questions themselves are at the wanted steps"


def test_what_no_question_can_want_is_forgotten():
    _, window = frames_of(VIDEO, [8] * 50)
    assert len(window._seen) <= 5
