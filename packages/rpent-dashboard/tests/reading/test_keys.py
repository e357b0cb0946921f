from pathlib import Path

import pytest
from rpent_dashboard.reading.keys import MissingError, inside, key_of, run_of


@pytest.fixture
def output_dir(tmp_path: Path) -> Path:
    (tmp_path / "runs/group_explore_x/inner").mkdir(parents=True)
    (tmp_path / "runs/ein Lauf (2)").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "runs/link").symlink_to(tmp_path / "outside")
    (tmp_path / "runs/.hidden").mkdir()
    (tmp_path / "runs/file").write_text("")
    return tmp_path / "runs"


@pytest.mark.parametrize(
    ("key", "name"), [("ein Lauf (2)", "ein Lauf (2)"), ("group_explore_x~inner", "group_explore_x/inner")]
)
def test_a_key_and_its_folder(output_dir: Path, key: str, name: str) -> None:
    assert run_of(key, output_dir) == output_dir / name
    assert key_of(output_dir / name, output_dir) == key


@pytest.mark.parametrize(
    "key",
    [
        "",
        ".",
        "..",
        "~",
        "..~..",
        "group_explore_x~..",
        "group_explore_x~inner~x",
        "../outside",
        "..\\outside",
        "/etc",
        "link",
        ".hidden",
        "file",
        "nothing",
        "a\0b",
        "a\nb",
        "x" * 300,
        "%2e%2e",
        "C:",
    ],
)
def test_what_leads_elsewhere_is_not_there(output_dir: Path, key: str) -> None:
    with pytest.raises(MissingError):
        run_of(key, output_dir)


@pytest.mark.parametrize("name", ["a~b", ".hidden", "new\nline", "a/b/c"])
def test_folders_that_no_key_can_name(output_dir: Path, name: str) -> None:
    assert key_of(output_dir / name, output_dir) is None


def test_a_link_inside_may_be_followed_and_one_that_leads_out_may_not(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "run/file").write_text("")
    (tmp_path / "run/near").symlink_to("file")
    (tmp_path / "run/far").symlink_to("../secret")
    (tmp_path / "run/circle").symlink_to("circle")
    assert inside(tmp_path / "run", "near") == (tmp_path / "run/file").resolve()
    assert [
        inside(tmp_path / "run", name) for name in ("far", "circle", "../secret", "/etc/passwd", "", "a\0")
    ] == [None] * 6
