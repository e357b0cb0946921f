import json

BROKEN = "PLUGIN_API = 1\nimport no_such_module"
ELSEWHERE = """
    from rpent.api import EnvironmentSpec, PolicySpec, hookimpl
    PLUGIN_API = 1

    @hookimpl
    def rpent_policies():
        yield PolicySpec(
            name="heavy", summary="Needs a lot.", policy="x:y", config="x:Z",
            environments=(EnvironmentSpec(name="heavy-one"), EnvironmentSpec(name="heavy-two")),
        )
    """


def test_backends_with_their_environments(plugin_site, run_cli, monkeypatch, tmp_path):
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "cache"))
    plugin_site.add_fake_policy()
    for name, source in (("broken", BROKEN), ("heavy", ELSEWHERE)):
        plugin_site.add(
            f"rpent-policy-{name}",
            entry_points={"rpent.policies": {name: f"policy_{name}"}},
            modules={f"policy_{name}.py": source},
        )
    rows = {row["name"]: row for row in json.loads(run_cli("policy", "list", "--json").stdout)["policies"]}
    assert rows["fake"]["inspects"]
    assert rows["fake"]["environments"] == []
    assert [each["name"] for each in rows["heavy"]["environments"]] == ["heavy-one", "heavy-two"]
    assert {each["state"] for each in rows["heavy"]["environments"]} == {"not built"}
    assert "no_such_module" in rows["broken"]["problem"]
    text = run_cli("policy", "list").stdout
    assert "environments: heavy-one (not built), heavy-two (not built)" in text
    assert "unusable: it needs the module `no_such_module`" in text


def test_without_a_backend_the_help_asks_for_a_name(run_cli, monkeypatch):
    monkeypatch.setenv("RPENT_DISABLE_PLUGINS", "bc,lerobot,openpi,pi0,rldx")
    assert "--backend NAME" in run_cli("policy", "inspect", "--help").stdout
