"""`python -m rpent_policy_lerobot.server.tiny FAMILY DIR`: make a tiny checkpoint."""

from __future__ import annotations

import argparse
from pathlib import Path

from rpent_policy_lerobot.server import sdk

LIBERO_CAMERAS = ("observation.images.image", "observation.images.image2")


def main() -> None:
    """Make the checkpoint that the command line asks for."""
    parser = argparse.ArgumentParser(prog="rpent_policy_lerobot.server.tiny", description=__doc__)
    parser.add_argument("family", choices=("act", "diffusion", "smolvla"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cameras", nargs="+", default=LIBERO_CAMERAS)
    parser.add_argument("--size", type=int, default=256, help="rows and columns of a picture")
    parser.add_argument("--state", type=int, default=8)
    parser.add_argument("--action", type=int, default=7)
    parser.add_argument("--chunk", type=int, default=16, help="actions that the model gives at once")
    parser.add_argument("--execute", type=int, default=8, help="actions that are meant to be carried out")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sdk.prepare()
    from rpent_policy_lerobot.server.tiny.checkpoint import Sizes, make  # noqa: PLC0415 (after the preparation)

    sizes = Sizes(
        cameras=tuple(options.cameras),
        picture=options.size,
        state=options.state,
        action=options.action,
        chunk=options.chunk,
        execute=options.execute,
    )
    make(options.family, options.folder, sizes, seed=options.seed)


main()
