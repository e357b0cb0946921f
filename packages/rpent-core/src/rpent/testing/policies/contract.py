"""The contract of a policy backend: what it reads, what it answers, and whose memory is whose."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

from rpent.config import build_config
from rpent.errors import PolicyError
from rpent.policies.api import PolicyRequest
from rpent.policies.episodes import request_seed
from rpent.policies.loading import PICTURE_SIZE
from rpent.rpc.codec import encode
from rpent.specs import load_object
from rpent.testing.policies.serving import served_policy, server_config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rpent.policies.api import Policy, PolicyConfig
    from rpent.policies.signature import Signature
    from rpent.specs import PolicySpec

HEAVY = ("torch", "transformers", "lerobot", "jax", "tensorflow")
INSTRUCTIONS = ("pick up the mug", "open the drawer", "put the bowl on the plate")


class PolicyContract:
    """The tests of any policy backend. Subclass it and say how to make a small checkpoint.

    The policy is loaded in the process of the test, so that this runs in an interpreter that has what it needs.

    Example::

        class TestMyPolicy(PolicyContract):
            spec = SPEC

            @classmethod
            def values(cls, folder):
                make_tiny_checkpoint(folder)
                return {"checkpoint": str(folder), "device": "cpu"}
    """

    spec: ClassVar[PolicySpec]
    tolerance: ClassVar[float] = 1e-4
    """How far the numbers of a batch may be from those of its requests alone."""

    @classmethod
    def values(cls, folder: Path) -> dict[str, Any]:
        """Return options of the backend for a small checkpoint, which may be made in the folder."""
        raise NotImplementedError

    _options: ClassVar[dict[str, Any]]
    _config: ClassVar[PolicyConfig]
    _policy: ClassVar[Policy]
    _reports: ClassVar[list[tuple[str, float | None]]]
    _folder: ClassVar[tempfile.TemporaryDirectory[str]]

    @classmethod
    def setup_class(cls) -> None:
        """Load the checkpoint, once for the class."""
        cls._folder = tempfile.TemporaryDirectory()
        cls._options = cls.values(Path(cls._folder.name))
        model: type[PolicyConfig] = load_object(cls.spec.config)
        cls._config = build_config(model, cls._options, what=f"policy `{cls.spec.name}`")
        cls._reports = []
        cls._policy = load_object(cls.spec.policy)(
            cls._config, lambda stage, fraction=None: cls._reports.append((stage, fraction))
        )

    @classmethod
    def teardown_class(cls) -> None:
        """Release it."""
        if hasattr(cls, "_policy"):
            cls._policy.close()
        cls._folder.cleanup()

    @pytest.fixture
    def config(self) -> PolicyConfig:
        """The options, validated."""
        return self._config

    @pytest.fixture
    def policy(self) -> Policy:
        """The policy, which remembers none of the episodes of these tests."""
        for episode in ("one", "two", "three"):
            self._policy.reset(episode)
        return self._policy

    def test_the_signature_is_read_without_the_weights(self, config: PolicyConfig, policy: Policy) -> None:
        """What the agent reads beforehand is what the loaded model takes."""
        if not self.spec.signature:
            pytest.skip("the backend cannot tell before it has loaded")
        read: Signature = load_object(self.spec.signature)(config)
        found = policy.signature
        assert (read.cameras, read.state, read.action) == (found.cameras, found.state, found.action)
        assert read.chunk_length in {None, found.chunk_length}

    def test_a_folder_that_is_no_checkpoint_is_refused(self, config: PolicyConfig, tmp_path: Path) -> None:
        """One sentence, before anything is loaded."""
        if not self.spec.signature:
            pytest.skip("the backend cannot tell before it has loaded")
        with pytest.raises(PolicyError) as caught:
            load_object(self.spec.signature)(config.model_copy(update={"checkpoint": str(tmp_path)}))
        assert "\n" not in caught.value.message

    def test_the_agent_side_stays_light(self) -> None:
        """Options and signature bring in no model library."""
        named = [name for name in (self.spec.config, self.spec.signature) if name]
        program = (
            "import sys, rpent.specs as s\n"
            f"[s.load_object(name) for name in {named!r}]\n"
            f"found = set({HEAVY!r}) & set(sys.modules)\n"
            "sys.exit(f'imported on the agent side: {found}' if found else 0)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def test_loading_reports_what_it_does(self) -> None:
        """Stages in words, fractions between 0 and 1."""
        assert self._reports
        assert all(stage.strip() for stage, _ in self._reports)
        assert all(fraction is None or 0 <= fraction <= 1 for _, fraction in self._reports)

    def test_an_answer_is_a_chunk_of_finite_actions(self, policy: Policy) -> None:
        """(T, D), T as the signature says."""
        (chunk,) = policy.infer([self.request(policy, "one")])
        length, dimension = policy.signature.chunk_length, policy.signature.action_dim
        assert chunk.shape == (length or len(chunk), dimension)
        assert len(chunk) > 0
        assert np.isfinite(chunk).all()

    def test_the_same_question_has_the_same_answer(self, policy: Policy) -> None:
        """After a reset; and an answer that was given stays as it is."""
        first, second = self.ask(policy, "one"), self.ask(policy, "one", step=1)
        kept = first.copy()
        policy.reset("one")
        np.testing.assert_allclose(self.ask(policy, "one"), kept, atol=self.tolerance)
        np.testing.assert_allclose(self.ask(policy, "one", step=1), second, atol=self.tolerance)
        np.testing.assert_array_equal(first, kept)

    def test_a_batch_is_its_requests_alone(self, policy: Policy) -> None:
        """Of several episodes, with other pictures and words, in two questions each."""
        episodes = ("one", "two", "three")
        alone = {name: [self.ask(policy, name, step=step) for step in range(2)] for name in episodes}
        for name in episodes:
            policy.reset(name)
        for step in range(2):
            together = policy.infer([self.request(policy, name, step=step) for name in episodes])
            assert len(together) == len(episodes)
            for name, chunk in zip(episodes, together, strict=True):
                np.testing.assert_allclose(chunk, alone[name][step], atol=self.tolerance, err_msg=name)

    def test_episodes_never_mix(self, policy: Policy) -> None:
        """Questions of another episode in between, and its reset, change nothing."""
        alone = [self.ask(policy, "one", step=step) for step in range(3)]
        policy.reset("one")
        for step in range(3):
            self.ask(policy, "two", step=step)
            np.testing.assert_allclose(self.ask(policy, "one", step=step), alone[step], atol=self.tolerance)
            policy.reset("two")

    def test_an_unknown_episode_can_be_reset(self, policy: Policy) -> None:
        """The server may forget one that the policy never saw."""
        policy.reset("never seen")

    def test_its_facts_are_plain_data(self, policy: Policy) -> None:
        """They go to clients."""
        encode(dict(policy.facts()))
        assert policy.device

    def test_it_is_served(self, policy: Policy) -> None:
        """The server describes it, and answers what the policy itself answers."""
        with served_policy(server_config(self.spec, self._options)) as channel:
            about = channel.call("describe")
            assert about["action"] == policy.signature.action
            assert about["chunk_length"] > 0
            channel.call("reset", episode="one", seed=7)
            for step in range(2):
                request = replace(self.request(policy, "one", step=step), seed=request_seed(7, step))
                answer = channel.call(
                    "infer_native",
                    images=dict(request.images),
                    state=dict(request.state),
                    instruction=request.instruction,
                    episode="one",
                )
                (expected,) = policy.infer([request])
                np.testing.assert_allclose(answer, expected, atol=self.tolerance)
            assert channel.call("status")["answered"] == 2

    def ask(self, policy: Policy, episode: str, *, step: int = 0) -> NDArray[np.floating[Any]]:
        """Ask one question alone."""
        answers: Sequence[NDArray[np.floating[Any]]] = policy.infer(
            [self.request(policy, episode, step=step)]
        )
        (chunk,) = answers
        return chunk

    def request(self, policy: Policy, episode: str, *, step: int = 0) -> PolicyRequest:
        """Return a question with inputs that depend on episode and step."""
        seed = request_seed(len(episode), step)
        generator = np.random.default_rng([*episode.encode(), step])
        signature = policy.signature
        return PolicyRequest(
            images={
                name: generator.integers(
                    0, 256, (view.height or PICTURE_SIZE, view.width or PICTURE_SIZE, 3), np.uint8
                )
                for name, view in signature.cameras.items()
            },
            state={
                name: generator.uniform(-0.5, 0.5, length).astype(np.float32)
                for name, length in signature.state.items()
            },
            instruction=INSTRUCTIONS[len(episode) % len(INSTRUCTIONS)],
            episode=episode,
            step=step,
            seed=seed,
        )
