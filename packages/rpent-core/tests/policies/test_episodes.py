"""Whose question it is, and which seed it gets."""

from __future__ import annotations

from rpent.policies.episodes import Episodes, request_seed


def test_a_seed_depends_on_episode_seed_and_step_only():
    assert request_seed(0, 0) == 1285674079
    assert request_seed(7, 3) == request_seed(7, 3)
    seeds = {request_seed(seed, step) for seed in range(50) for step in range(50)}
    assert len(seeds) == 2500
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_steps_count_from_the_reset():
    episodes = Episodes()
    assert [episodes.use("a").next_step()[0] for _ in range(3)] == [0, 1, 2]
    before = episodes.begin("a", 5)
    assert before is not None
    assert before.step == 3
    assert episodes.use("a").next_step() == (0, request_seed(5, 0))
    assert episodes.begin("b", 1) is None


def test_the_least_recently_used_one_is_forgotten():
    episodes = Episodes(limit=2)
    for name in ("a", "b", "a", "c"):
        episodes.use(name)
    assert episodes.evict() == ["b"]
    assert len(episodes) == 2


def test_idle_ones_are_forgotten():
    episodes = Episodes(idle_s=0.0)
    episodes.use("a")
    episodes.begin("b", 0)
    assert set(episodes.evict()) == {"a", "b"}
    assert len(Episodes(idle_s=60.0).evict()) == 0
