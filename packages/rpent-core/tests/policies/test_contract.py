"""The contract of policy backends, passed by the fake one."""

from __future__ import annotations

from rpent.testing import PolicyContract
from rpent.testing.policies.fake import SPEC, make_checkpoint


class TestFakePolicy(PolicyContract):
    spec = SPEC

    @classmethod
    def values(cls, folder):
        return {"checkpoint": str(make_checkpoint(folder))}
