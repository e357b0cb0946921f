from rpent_robosmith.work.watch import Quota

MIB = 2**20


def spent(quota, size, count):
    return [quota.spend(size) for _ in range(count)].count(True)


def test_small_messages_have_a_number():
    now = [0.0]
    quota = Quota(clock=lambda: now[0])
    assert spent(quota, 100, 40_000) == 30_000
    now[0] += 200.0
    assert spent(quota, 100, 40_000) == 10_000  # a hundred a second, and what was overdrawn is paid first


def test_large_messages_have_a_size():
    quota = Quota(clock=lambda: 0.0)
    assert spent(quota, 512 * MIB, 10) == 3


def test_an_honest_training_is_far_from_it():
    now = [0.0]
    quota = Quota(clock=lambda: now[0])
    for _ in range(1_000):  # a segment of a second: two words, an evaluation, a checkpoint of 4 MiB
        now[0] += 1.0
        assert spent(quota, 200, 3) == 3
        assert quota.spend(4 * MIB)
