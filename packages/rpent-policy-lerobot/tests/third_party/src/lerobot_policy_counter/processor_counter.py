"""The pipelines before and after it."""

from lerobot.processor import (
    AddBatchDimensionProcessorStep,
    DeviceProcessorStep,
    NormalizerProcessorStep,
    PolicyProcessorPipeline,
    UnnormalizerProcessorStep,
)
from lerobot.processor.converters import policy_action_to_transition, transition_to_policy_action


def make_counter_pre_post_processors(config, dataset_stats=None, **_):
    normalizer = NormalizerProcessorStep(
        features={**config.input_features, **config.output_features},
        norm_map=config.normalization_mapping,
        stats=dataset_stats,
    )
    unnormalizer = UnnormalizerProcessorStep(
        features=config.output_features, norm_map=config.normalization_mapping, stats=dataset_stats
    )
    pre = [AddBatchDimensionProcessorStep(), DeviceProcessorStep(device=config.device), normalizer]
    return (
        PolicyProcessorPipeline(steps=pre, name="policy_preprocessor"),
        PolicyProcessorPipeline(
            steps=[unnormalizer, DeviceProcessorStep(device="cpu")],
            name="policy_postprocessor",
            to_transition=policy_action_to_transition,
            to_output=transition_to_policy_action,
        ),
    )
