"""Names and units of numbers, from where they are documented."""

from __future__ import annotations

import pytest
from rpent_robosmith.catalog.load import find
from rpent_robosmith.worker.making import make_env
from rpent_robosmith.worker.naming import action_numbers, observation_numbers, parse_number
from rpent_robosmith.worker.spaces import space_facts
from rpent_robosmith.worker.tables import Row, tables_of


def numbers(name):
    entry = find(name)
    env = make_env(entry)
    seen, acted = space_facts(env.observation_space), space_facts(env.action_space)
    return observation_numbers(env, entry, seen), action_numbers(env, entry, acted)


def test_a_catalog_says_what_the_documentation_does_not():
    seen, (choice,) = numbers("cartpole")
    assert [(each.name, each.unit) for each in seen[""]] == [
        ("cart position", "m"),
        ("cart velocity", "m/s"),
        ("pole angle", "rad"),
        ("pole angular velocity", "rad/s"),
    ]
    assert (seen[""][2].low, seen[""][2].high) == pytest.approx((-0.41888, 0.41888), abs=1e-5)
    assert choice.name == "0: Push cart to the left; 1: Push cart to the right"
    assert (choice.low, choice.high) == (0, 1)


def test_a_table_of_the_documentation_is_read_with_its_unit_column():
    pytest.importorskip("mujoco")
    seen, acted = numbers("reacher")
    assert (seen[""][9].name, seen[""][9].unit) == ("y-value of position_fingertip - position_target", "m")
    assert (seen[""][6].name, seen[""][6].unit) == ("angular velocity of the first arm", "rad/s")
    assert seen[""][0].unit == ""
    assert [(each.unit, each.low, each.high) for each in acted] == [("N m", -1, 1)] * 2


def test_what_follows_positions_and_velocities_has_mujocos_names():
    pytest.importorskip("mujoco")
    seen, acted = numbers("humanoid")
    names = [each.name for each in seen[""]]
    assert len(names) == 348
    assert names[0] == "z-coordinate of the torso (centre)"
    assert names[45] == "cinert[0]"
    assert names[-1] == "cfrc_ext[77]"
    assert len(acted) == 17


def test_a_picture_has_no_names():
    pytest.importorskip("Box2D")
    seen, acted = numbers("car-racing")
    assert seen == {}
    assert [each.name for each in acted] == ["steering, left to right", "gas", "brake"]


def test_an_environment_without_documentation_has_numbers_all_the_same():
    import gymnasium

    class Plain(gymnasium.Env):
        observation_space = gymnasium.spaces.Box(-1, 1, (2,))
        action_space = gymnasium.spaces.Box(-3, 3, (1,))

    plain = Plain()
    entry = find("Plain-v0")
    assert [
        each.name for each in observation_numbers(plain, entry, space_facts(Plain.observation_space))[""]
    ] == [
        "observation_0",
        "observation_1",
    ]
    (acted,) = action_numbers(plain, entry, space_facts(Plain.action_space))
    assert (acted.name, acted.low, acted.high) == ("action_0", -3.0, 3.0)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("pole angle [rad]", Row("pole angle", "rad")),
        ("angular velocity [0.4 rad/s]", Row("angular velocity", "0.4 rad/s")),
        ("left leg touches", Row("left leg touches")),
        ("cube_pos[0]", Row("cube_pos[0]")),
    ],
)
def test_a_name_with_its_unit_is_read(text, row):
    assert parse_number(text) == row


class Documented:
    """Something.

    ## Action Space
    - 0: nothing.
    - 1: something

    ## Observation Space
    * `observation`: a vector

    | Num | Observation | Min | Unit |
    | --- | ----------- | --- | ---- |
    | 0   | height      | -1  | position (m) |
    | 1   | -           |     | unitless |
    | excluded | no | | |

    * `goal`: another

    | Num | Observation | Unit |
    |-----|-------------|------|
    | 0   | goal height | m    |

    ## Arguments
    | Num | Observation | Type |
    |-----|-------------|------|
    """


class Heir(Documented):
    __doc__ = None


@pytest.mark.parametrize("environment", [Documented, Heir])
def test_tables_belong_to_their_part(environment):
    assert tables_of(environment, "observation") == [[Row("height", "m"), Row("-", "")]]
    assert tables_of(environment, "goal") == [[Row("goal height", "m")]]
    assert tables_of(environment, "action") == [[Row("nothing"), Row("something")]]
    assert tables_of(environment, "reward") == []
