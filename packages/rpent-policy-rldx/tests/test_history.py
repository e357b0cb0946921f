from rpent_policy_rldx.history import History


def shown(stride, questions, deltas=(-6, -4, -2, 0)):
    history = History(stride=stride, reach=-min(deltas))
    for question in range(questions):
        history.see(question, f"frame {question * stride}")
    return [int(each.split()[1]) for each in history.at(deltas)]


def test_frames_are_exact_where_the_stride_divides_the_wanted_steps():
    assert shown(2, 10) == [12, 14, 16, 18]
    assert shown(1, 10) == [3, 5, 7, 9]


def test_before_the_beginning_there_is_the_first_frame():
    assert shown(2, 1) == [0, 0, 0, 0]
    assert shown(2, 2) == [0, 0, 0, 2]


def test_with_a_longer_stride_the_nearest_frame_is_taken_and_the_older_of_two():
    assert shown(8, 4) == [16, 16, 24, 24]
    assert shown(16, 4) == [48, 48, 48, 48]


def test_only_what_is_needed_is_kept():
    history = History(stride=2, reach=6)
    for question in range(100):
        history.see(question, question)
    assert len(history._seen) == 4


def test_the_same_question_again_replaces_what_was_seen():
    history = History(stride=2, reach=6)
    for question, frame in ((0, "a"), (1, "b"), (1, "c")):
        history.see(question, frame)
    assert history.at((-2, 0)) == ["a", "c"]
