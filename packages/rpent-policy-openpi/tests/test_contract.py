from rpent.testing.policies.contract import PolicyContract
from rpent_policy_openpi.plugin import rpent_policies
from rpent_policy_openpi.testing import LocalOpenpiServer


class TestOpenpi(PolicyContract):
    (spec,) = rpent_policies()

    @classmethod
    def values(cls, folder):
        cls.server = LocalOpenpiServer(metadata={"model": "none"})
        cls.server.__enter__()
        return {"checkpoint": cls.server.uri}

    @classmethod
    def teardown_class(cls):
        super().teardown_class()
        cls.server.__exit__()
