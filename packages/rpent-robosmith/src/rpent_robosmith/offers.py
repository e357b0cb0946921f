"""What comes with this distribution, as data: trainers, env adapters, catalogs, inspectors, agents."""

from __future__ import annotations

from rpent_robosmith.environments import ROBOSMITH, lerobot_environments
from rpent_robosmith.specs import (
    AlgorithmSpec,
    DecisionAgentSpec,
    EnvAdapterSpec,
    EnvCatalogSpec,
    InspectorSpec,
    Needs,
    RewardAgentSpec,
    TrainerSpec,
)


def _extra(*names: str) -> str:
    return f'pip install "rpent-robosmith[{",".join(names)}]"'


_WITH_LEROBOT = lerobot_environments()
_SB3 = Needs(
    modules=("stable_baselines3", "torch"),
    packages=("stable-baselines3", "torch"),
    install=_extra("sb3"),
)
_CONTRIB = Needs(
    modules=("sb3_contrib", "stable_baselines3", "torch"),
    packages=("sb3-contrib", "stable-baselines3", "torch"),
    install=_extra("contrib"),
)
_GYMNASIUM = Needs(modules=("gymnasium",), packages=("gymnasium",), install="pip install rpent-robosmith")
_ROBOTICS = Needs(
    modules=("gymnasium_robotics", "mujoco"),
    packages=("gymnasium-robotics", "mujoco<3.9"),
    install=_extra("robotics"),
)
_MUJOCO = Needs(modules=("mujoco",), packages=("mujoco",), install=_extra("mujoco"))
_ROBOSUITE = Needs(modules=("robosuite", "mujoco"), packages=("robosuite",), install="pip install robosuite")
_DATASETS = Needs(modules=("h5py", "pyarrow"), packages=("h5py", "pyarrow"), install=_extra("datasets"))
_ONNX = Needs(modules=("onnxruntime",), packages=("onnxruntime",), install=_extra("onnx"))
_LEROBOT = Needs(
    modules=("lerobot", "torch"), packages=("lerobot", "torch"), install="rpent env sync lerobot"
)
_MODEL = Needs(modules=("rpent_planner_api",), packages=("rpent-planner-api",), install=_extra("model"))

TRAINERS = (
    TrainerSpec(
        name="sb3",
        summary="Stable-Baselines3.",
        trainer="rpent_robosmith.worker.trainers.sb3:Sb3Trainer",
        algorithms=(
            AlgorithmSpec(
                name="ppo", summary="On-policy, discrete and continuous.", action_spaces=("box", "discrete")
            ),
            AlgorithmSpec(name="sac", summary="Off-policy, entropy-regularised."),
            AlgorithmSpec(name="td3", summary="Off-policy, twin critics, delayed updates."),
        ),
        needs=_SB3,
        environments=(ROBOSMITH,),
        docs_url="https://stable-baselines3.readthedocs.io",
    ),
    TrainerSpec(
        name="sb3-contrib",
        summary="Stable-Baselines3's contributed algorithms.",
        trainer="rpent_robosmith.worker.trainers.contrib:ContribTrainer",
        algorithms=(
            AlgorithmSpec(name="tqc", summary="SAC with truncated quantile critics."),
            AlgorithmSpec(name="crossq", summary="SAC with batch normalisation and no target networks."),
        ),
        needs=_CONTRIB,
        environments=(ROBOSMITH,),
        docs_url="https://sb3-contrib.readthedocs.io",
    ),
    TrainerSpec(
        name="bc",
        summary="Behaviour cloning of state-based demonstrations, in plain torch.",
        trainer="rpent_robosmith.worker.trainers.bc:BcTrainer",
        algorithms=(
            AlgorithmSpec(
                name="bc",
                summary="Supervised learning of the demonstrated actions.",
                action_spaces=("box", "discrete"),
                paradigm="imitation",
            ),
        ),
        needs=Needs(modules=("torch",), packages=("torch",), install=_extra("sb3")),
        environments=(ROBOSMITH,),
    ),
    TrainerSpec(
        name="act",
        summary="Action chunking with transformers, through LeRobot.",
        trainer="rpent_robosmith.worker.trainers.act:ActTrainer",
        algorithms=(
            AlgorithmSpec(
                name="act", summary="Chunks of actions from pictures and state.", paradigm="imitation"
            ),
        ),
        needs=_LEROBOT,
        environments=_WITH_LEROBOT,
        links=("rpent-torch",),
        docs_url="https://huggingface.co/docs/lerobot/act",
    ),
)

ENV_ADAPTERS = (
    EnvAdapterSpec(
        name="gymnasium",
        summary="Gymnasium's classic control, Box2D and MuJoCo environments, and any registered id.",
        adapter="rpent_robosmith.worker.adapters.gymnasium:GymnasiumAdapter",
        needs=_GYMNASIUM,
        environments=(ROBOSMITH, *_WITH_LEROBOT),
    ),
    EnvAdapterSpec(
        name="gymnasium-robotics",
        summary="Fetch, Shadow Hand and the other environments of gymnasium-robotics.",
        adapter="rpent_robosmith.worker.adapters.robotics:RoboticsAdapter",
        needs=_ROBOTICS,
        environments=(ROBOSMITH,),
    ),
    EnvAdapterSpec(
        name="robosuite",
        summary="robosuite's tabletop manipulation.",
        adapter="rpent_robosmith.worker.adapters.robosuite:RobosuiteAdapter",
        needs=_ROBOSUITE,
    ),
    EnvAdapterSpec(
        name="mjcf",
        summary="Scenes that are synthesised from a declarative spec.",
        adapter="rpent_robosmith.worker.adapters.mjcf:MjcfAdapter",
        needs=_MUJOCO,
        environments=(ROBOSMITH,),
    ),
    EnvAdapterSpec(
        name="rpent",
        summary="The env server of an installed robot: LIBERO, RoboCasa, a third party's.",
        adapter="rpent_robosmith.worker.adapters.served:ServedAdapter",
        environments=(ROBOSMITH,),
    ),
)

ENV_CATALOGS = (
    EnvCatalogSpec(
        name="gymnasium",
        summary="Classic control, Box2D and MuJoCo.",
        path="rpent_robosmith:catalog/data/gymnasium.yaml",
    ),
    EnvCatalogSpec(
        name="gymnasium-robotics",
        summary="Fetch and Shadow Hand.",
        path="rpent_robosmith:catalog/data/robotics.yaml",
    ),
    EnvCatalogSpec(
        name="robosuite",
        summary="Tabletop manipulation with a Panda.",
        path="rpent_robosmith:catalog/data/robosuite.yaml",
    ),
    EnvCatalogSpec(
        name="libero",
        summary="LIBERO, through its robot's env server.",
        path="rpent_robosmith:catalog/data/libero.yaml",
    ),
    EnvCatalogSpec(
        name="robocasa",
        summary="RoboCasa365's kitchens, through their robot's env server.",
        path="rpent_robosmith:catalog/data/robocasa.yaml",
    ),
)

INSPECTORS = (
    InspectorSpec(
        name="robosmith-policy",
        kind="policy",
        summary="Policies that RoboSmith delivered.",
        inspector="rpent_robosmith.inspect.policies.robosmith:RobosmithPolicyInspector",
    ),
    InspectorSpec(
        name="sb3-policy",
        kind="policy",
        summary="Checkpoints of Stable-Baselines3, without unpickling them.",
        inspector="rpent_robosmith.inspect.policies.sb3:Sb3PolicyInspector",
    ),
    InspectorSpec(
        name="lerobot-policy",
        kind="policy",
        summary="LeRobot checkpoints.",
        inspector="rpent_robosmith.inspect.policies.lerobot:LerobotPolicyInspector",
    ),
    InspectorSpec(
        name="onnx-policy",
        kind="policy",
        summary="ONNX models.",
        inspector="rpent_robosmith.inspect.policies.onnx:OnnxPolicyInspector",
        needs=_ONNX,
    ),
    InspectorSpec(
        name="lerobot-dataset",
        kind="dataset",
        summary="LeRobot datasets, v2 and v3.",
        inspector="rpent_robosmith.inspect.datasets.lerobot:LerobotDatasetInspector",
        needs=_DATASETS,
    ),
    InspectorSpec(
        name="hdf5-dataset",
        kind="dataset",
        summary="HDF5 in the layout of robomimic and LIBERO.",
        inspector="rpent_robosmith.inspect.datasets.hdf5:Hdf5DatasetInspector",
        needs=_DATASETS,
    ),
    InspectorSpec(
        name="runs-dataset",
        kind="dataset",
        summary="Run directories of RPent, whose control actions are a dataset.",
        inspector="rpent_robosmith.inspect.datasets.runs:RunsDatasetInspector",
    ),
    InspectorSpec(
        name="environment",
        kind="environment",
        summary="Catalog entries, Gymnasium ids, and robots of RPent.",
        inspector="rpent_robosmith.inspect.environments:EnvironmentInspector",
    ),
)

REWARD_AGENTS = (
    RewardAgentSpec(
        name="templates",
        summary="Shapes the environment's declared measures; no model, no key.",
        agent="rpent_robosmith.agents.templates:TemplateRewards",
    ),
    RewardAgentSpec(
        name="model",
        summary="A language model writes them.",
        agent="rpent_robosmith.agents.model_rewards:ModelRewards",
        needs=_MODEL,
        uses_model=True,
    ),
)

DECISION_AGENTS = (
    DecisionAgentSpec(
        name="rules",
        summary="Fixed rules over the evaluation; no model, no key.",
        agent="rpent_robosmith.agents.rules:RuleDecisions",
    ),
    DecisionAgentSpec(
        name="model",
        summary="A language model advises; it never accepts against the verdict.",
        agent="rpent_robosmith.agents.model_decisions:ModelDecisions",
        needs=_MODEL,
        uses_model=True,
    ),
)
