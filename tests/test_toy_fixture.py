"""The toy robot is what `rpent new robot toy` writes, so that the template is linted too."""

from pathlib import Path

from rpent.scaffold.render import render

TOY = Path(__file__).parent / "fixtures" / "rpent-robot-toy"


def test_the_fixture_is_the_rendered_template(tmp_path):
    written = render("robot", "toy", tmp_path / "toy")
    for path in written:
        relative = path.relative_to(tmp_path / "toy")
        assert (TOY / relative).read_text() == path.read_text(), f"{relative} differs from the template"
    own = {
        path.relative_to(TOY) for path in TOY.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    assert own == {path.relative_to(tmp_path / "toy") for path in written}
