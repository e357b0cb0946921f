"""A tokenizer for checkpoints of the real classes that tests make: byte-level BPE of a few sentences, 10 KB."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SPECIAL = ("<pad>", "<bos>", "<eos>", "<unk>")
"""Their ids are 0 to 3."""
_NAMES = ("pad_token", "bos_token", "eos_token", "unk_token")


def tiny_tokenizer(
    sentences: Sequence[str], *, extra: Mapping[str, str] = MappingProxyType({}), size: int = 512
) -> PreTrainedTokenizerFast:
    """Return a tokenizer that encodes any text.

    Args:
        sentences: What it learns its words from.
        extra: Special tokens besides `SPECIAL`, by the attribute of the tokenizer that has each; their ids follow.
        size: Its vocabulary at most.
    """
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[*SPECIAL, *extra.values()],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(sentences, trainer)
    named = dict(zip(_NAMES, SPECIAL, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=bpe, **named, extra_special_tokens=dict(extra))
