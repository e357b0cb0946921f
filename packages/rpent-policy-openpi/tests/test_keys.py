import pytest
from rpent.errors import UsageError
from rpent.policies.api import CameraInput, Signature
from rpent_policy_openpi.gateway.keys import key_map, parse_piece


def signed(cameras, state):
    return Signature(
        family="x", cameras=dict.fromkeys(cameras, CameraInput()), state=state, action={"actions": 7}
    )


def shown(found):
    return [str(piece) for piece in (*found.cameras, *found.state)]


def test_openpis_own_names_stay():
    found = key_map(signed(["observation/image", "observation/wrist_image"], {"observation/state": 8}))
    assert shown(found) == [
        "observation/image=observation/image",
        "observation/wrist_image=observation/wrist_image",
        "observation/state=observation/state",
    ]


def test_the_wrist_camera_and_the_only_vector_are_plain_to_see():
    found = key_map(signed(["wrist", "agentview"], {"s": 9}))
    assert shown(found) == [
        "observation/wrist_image=wrist",
        "observation/image=agentview",
        "observation/state=s",
    ]


def test_the_layout_goes_before_guessing_and_what_is_given_before_the_layout():
    layout = {"observation/image": "a", "observation/wrist_image": "b", "other": "not here"}
    found = key_map(
        signed(["a", "b"], {"s": 8}), layout=layout, given=[parse_piece("top=a"), parse_piece("x=s")]
    )
    assert shown(found) == ["top=a", "observation/wrist_image=b", "x=s"]


def test_what_the_layout_leaves_open_is_plain_to_see():
    layout = {"observation/image": "image", "observation/wrist_image": "image2", "observation/state": "s"}
    found = key_map(signed(["image", "wrist_image"], {"s": 8}), layout=layout)
    assert shown(found)[1] == "observation/wrist_image=wrist_image"


def test_vectors_are_joined_and_cut():
    given = [parse_piece(text) for text in ("arm=s", "hand[0:1]=s", "rest[1:3]=t")]
    found = key_map(signed([], {"s": 8, "t": 2}), given=given)
    assert shown(found) == ["arm=s", "hand[0:1]=s", "rest[1:3]=t"]
    assert found.keys == ("arm", "hand", "rest")


@pytest.mark.parametrize(
    ("cameras", "state", "words"),
    [
        (["left", "right"], {"s": 8}, "`left` and `right`|`left`, `right`"),
        (["image"], {"position": 3, "gripper": 2}, "gripper"),
    ],
)
def test_what_is_not_plain_is_asked_for(cameras, state, words):
    with pytest.raises(UsageError, match=words) as error:
        key_map(signed(cameras, state))
    assert "--key KEY=" in error.value.hint


def test_malformed_and_unknown():
    for text in ("a", "a=", "=b", "a[3:1]=b", "a[1]=b", "a b=c"):
        with pytest.raises(UsageError, match="--key"):
            parse_piece(text)
    with pytest.raises(UsageError, match="no input `imaje`; did you mean `image`"):
        key_map(signed(["image"], {}), given=[parse_piece("k=imaje")])
