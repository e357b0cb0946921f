import pytest
from rpent.errors import EnvironmentSetupError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.evaluation.running import evaluate
from rpent_robosmith.work.api import WorkError

SEEDS = range(1_000_000, 1_000_005)


class Dying:
    """A bench whose workers die in some seeds: seed → how often."""

    def __init__(self, deaths, kind="killed"):
        self.deaths, self.kind, self.jobs = dict(deaths), kind, 0

    def run(self, job, heard=None):
        self.jobs += 1
        for seed in job.params["seeds"]:
            if self.deaths.get(seed, 0) > 0:
                self.deaths[seed] -= 1
                raise WorkError("It was killed by SIGSEGV.", kind=self.kind)
            record = {"seed": seed, "length": 3, "total": 1.0, "success": True}
            heard("episode", {"record": record})
        return {"episodes": []}


def run(bench, policies=None):
    return evaluate(bench, find("cartpole"), policies or {"trained": "zero"}, SEEDS)


def test_every_seed_has_its_episode():
    told = []
    found = evaluate(
        Dying({}),
        find("cartpole"),
        {"random": "random", "zero": "zero"},
        SEEDS,
        progress=lambda *n: told.append(n),
    )
    assert {name: [episode.seed for episode in episodes] for name, episodes in found.items()} == {
        "random": list(SEEDS),
        "zero": list(SEEDS),
    }
    assert ("zero", 5, 5) in told


def test_a_worker_that_dies_once_is_replaced():
    bench = Dying({1_000_002: 1})
    assert all(episode.success for episode in run(bench)["trained"])
    assert bench.jobs == 2


@pytest.mark.parametrize("kind", ["killed", "memory", "silence", "timeout"])
def test_a_seed_that_is_fatal_twice_is_a_crashed_episode(kind):
    episodes = run(Dying({1_000_002: 2}, kind))["trained"]
    assert [bool(episode.error) for episode in episodes] == [False, False, True, False, False]
    assert episodes[2].error == "It was killed by SIGSEGV."
    assert not episodes[2].success


def test_a_worker_that_always_dies_does_not_go_on_for_ever():
    bench = Dying(dict.fromkeys(SEEDS, 99))
    assert all(episode.error for episode in run(bench)["trained"])
    assert bench.jobs == 4


def test_what_no_other_worker_mends_is_raised():
    with pytest.raises(WorkError, match="SIGSEGV"):
        run(Dying({1_000_000: 1}, "error"))

    class Missing:
        def run(self, job, heard=None):
            raise EnvironmentSetupError("nothing there")

    with pytest.raises(EnvironmentSetupError):
        run(Missing())


def test_a_worker_that_leaves_out_episodes_is_no_evaluation():
    class Lazy:
        def run(self, job, heard=None):
            return {"episodes": []}

    with pytest.raises(WorkError, match="ended before its last episode"):
        run(Lazy())


def test_a_worker_that_tells_of_other_seeds_is_no_evaluation():
    class Wrong:
        def run(self, job, heard=None):
            heard("episode", {"record": {"seed": 5, "length": 3, "total": 1.0, "success": True}})

    with pytest.raises(WorkError, match="a seed that it was not asked for"):
        run(Wrong())


def test_the_baselines_of_a_real_environment(bench):
    policies = {"random": "random", "zero": "zero"}
    first = evaluate(bench, find("cartpole"), policies, SEEDS)
    assert first == evaluate(bench, find("cartpole"), policies, SEEDS)
    assert [episode.length for episode in first["zero"]] == [9, 10, 10, 9, 9]
    assert all(episode.terminated and not episode.success for episode in first["zero"])
    assert first["random"] != first["zero"]
