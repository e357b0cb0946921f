"""The contract of a perceptor: what it finds is well-formed, ordered and bounded, and nothing found is no error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpent.env.types import Observation
    from rpent.perception import Perceptor, Segment


class PerceptorContract:
    """The tests of any perceptor. Subclass it, and give it a perceptor and a picture with something in it.

    Example::

        class TestMyDetector(PerceptorContract):
            camera = "front"
            prompt = "red cube"
            nothing = {"prompt": "giraffe"}

            @pytest.fixture
            def perceptor(self): ...

            @pytest.fixture
            def observation(self): ...
    """

    camera: ClassVar[str]
    prompt: ClassVar[str]
    """Names something in the picture."""
    nothing: ClassVar[Mapping[str, Any]]
    """Arguments of `segment` that nothing in the picture fits."""
    least_score: ClassVar[float] = 0.0
    """What is asked for at least, so that the prompt is found."""
    point_hits: ClassVar[bool] = True
    """Whether what is found at a point covers it; a model with random weights does not."""

    @pytest.fixture
    def perceptor(self) -> Perceptor:
        """The perceptor under test."""
        raise NotImplementedError

    @pytest.fixture
    def observation(self) -> Observation:
        """An observation with a picture of the camera."""
        raise NotImplementedError

    def find(self, perceptor: Perceptor, observation: Observation, **arguments: Any) -> Sequence[Segment]:
        """Ask for the prompt, or for what is given."""
        asked = {"min_score": self.least_score, **arguments}
        if "point" not in asked:
            asked.setdefault("prompt", self.prompt)
        return perceptor.segment(observation, self.camera, **asked)

    def test_what_is_found_is_well_formed(self, perceptor: Perceptor, observation: Observation) -> None:
        """Masks of the picture's size, tight boxes, scores from 0 to 1, a name that can be asked for again."""
        picture = observation.images[self.camera]
        found = self.find(perceptor, observation)
        assert found
        for segment in found:
            assert segment.mask.dtype == np.bool_
            assert segment.mask.shape == picture.shape[:2]
            rows, columns = np.nonzero(segment.mask)
            assert segment.box == (rows.min(), columns.min(), rows.max(), columns.max())
            assert 0.0 <= segment.score <= 1.0
            assert segment.label.strip()
            assert self.find(perceptor, observation, prompt=segment.label)

    def test_the_best_comes_first(self, perceptor: Perceptor, observation: Observation) -> None:
        """Scores fall."""
        scores = [segment.score for segment in self.find(perceptor, observation)]
        assert scores == sorted(scores, reverse=True)

    def test_candidates_are_limited(self, perceptor: Perceptor, observation: Observation) -> None:
        """One candidate is the best one."""
        best = self.find(perceptor, observation)[0]
        only = self.find(perceptor, observation, max_candidates=1)
        assert len(only) == 1
        assert only[0].score == best.score

    def test_scores_are_bounded_below(self, perceptor: Perceptor, observation: Observation) -> None:
        """What scores less than is asked for is left out."""
        best = self.find(perceptor, observation)[0].score
        assert all(segment.score >= best for segment in self.find(perceptor, observation, min_score=best))

    def test_nothing_found_is_empty(self, perceptor: Perceptor, observation: Observation) -> None:
        """It is no error."""
        assert list(self.find(perceptor, observation, **self.nothing)) == []

    def test_a_point_is_row_and_column(self, perceptor: Perceptor, observation: Observation) -> None:
        """What is at a pixel of a thing is found; rows come first."""
        rows, columns = np.nonzero(self.find(perceptor, observation)[0].mask)
        middle = len(rows) // 2
        point = (int(rows[middle]), int(columns[middle]))
        found = self.find(perceptor, observation, point=point)
        assert found
        assert all(segment.mask.shape == observation.images[self.camera].shape[:2] for segment in found)
        if self.point_hits:
            assert found[0].mask[point]

    def test_asking_again_gives_the_same(self, perceptor: Perceptor, observation: Observation) -> None:
        """Whatever was asked in between."""
        first = self.find(perceptor, observation)
        self.find(perceptor, observation, prompt="robot")
        second = self.find(perceptor, observation)
        for one, two in zip(first, second, strict=True):
            assert one.score == two.score
            assert (one.mask == two.mask).all()

    @pytest.mark.parametrize("prompt", ["", " ", "robot", "ß ∂ 皿", "the same words again " * 40])
    def test_any_words_are_answered(
        self, perceptor: Perceptor, observation: Observation, prompt: str
    ) -> None:
        """Blank, foreign and very long prompts find something or nothing, and break nothing."""
        for segment in self.find(perceptor, observation, prompt=prompt):
            assert segment.mask.shape == observation.images[self.camera].shape[:2]
