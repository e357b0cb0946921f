"""Pictures of a run by the hash of their bytes, and depth in colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Header, Query
from fastapi import Path as PathPart
from starlette.responses import Response

from rpent_dashboard.reading.files import depth_file, depth_picture, picture
from rpent_dashboard.reading.liveness import stamp
from rpent_dashboard.reading.newest import UNKNOWN_HASH

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_dashboard.web.surroundings import Surroundings

FOREVER = "private, max-age=31536000, immutable"
REVALIDATED = "private, no-cache"
Metres = Annotated[float | None, Query(ge=0, le=1000, allow_inf_nan=False)]


def router(surroundings: Surroundings) -> APIRouter:
    """Return the routes of pictures."""
    routes = APIRouter(prefix="/api/runs/{key}")
    library = surroundings.library

    @routes.get("/pictures/{sha256}/{path:path}")
    def stored(
        key: str,
        sha256: Annotated[str, PathPart(pattern=r"^(-|[0-9a-f]{64})$")],
        path: str,
        if_none_match: Annotated[str, Header()] = "",
    ) -> Response:
        run = library.run(key)
        data, media_type = picture(run, path, sha256)
        if sha256 != UNKNOWN_HASH:
            return Response(data, media_type=media_type, headers={"Cache-Control": FOREVER})
        headers = {"Cache-Control": REVALIDATED, "ETag": _etag(run / path)}
        if headers["ETag"] in if_none_match:
            return Response(status_code=304, headers=headers)
        return Response(data, media_type=media_type, headers=headers)

    @routes.get("/depth/{step}/{camera}")
    def depth(
        key: str,
        *,
        step: Annotated[int, PathPart(ge=0, le=10**6)],
        camera: str,
        near: Metres = None,
        far: Metres = None,
        if_none_match: Annotated[str, Header()] = "",
    ) -> Response:
        file = depth_file(library.run(key), step, camera)
        headers = {"Cache-Control": REVALIDATED, "ETag": _etag(file, near, far)}
        if headers["ETag"] in if_none_match:
            return Response(status_code=304, headers=headers)
        data, limits = depth_picture(file, near, far)
        headers["X-Depth-Range-M"] = "{:.3f},{:.3f}".format(*limits)
        return Response(data, media_type="image/png", headers=headers)

    return routes


def _etag(file: Path, *more: object) -> str:
    changed, size, inode = stamp(file) or (0, 0, 0)
    return '"' + "-".join(f"{part}" for part in (f"{changed:x}", f"{size:x}", f"{inode:x}", *more)) + '"'
