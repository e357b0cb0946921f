"""Streams that wait for changes made by threads."""

from __future__ import annotations

import asyncio
import threading

from rpent_dashboard.hosting.changes import Changes


def test_every_waiting_stream_is_woken_and_none_misses_the_last_change():
    changes, total = Changes(), 500
    seen = ([], [])

    async def follow(numbers):
        version = 0
        while version < total:
            version = await changes.after(version)
            numbers.append(version)
            await asyncio.sleep(0.001 * (len(numbers) % 3))  # a slow one

    async def both():
        worker = threading.Thread(target=lambda: [changes.bump() for _ in range(total)])
        following = [asyncio.create_task(follow(numbers)) for numbers in seen]
        await asyncio.sleep(0.01)
        worker.start()
        await asyncio.wait_for(asyncio.gather(*following), 20)
        worker.join()

    asyncio.run(both())
    for numbers in seen:
        assert numbers == sorted(set(numbers))
        assert numbers[-1] == total


def test_a_change_that_came_before_is_not_waited_for():
    changes = Changes()
    changes.bump()
    assert asyncio.run(asyncio.wait_for(changes.after(0), 5)) == 1


def test_a_loop_that_has_ended_does_not_stop_a_change():
    changes = Changes()
    loop = asyncio.new_event_loop()
    waiting = loop.create_task(changes.after(0))
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()
    changes.bump()
    assert changes.version == 1
    waiting._log_destroy_pending = False
