"""Models of small configurations, drawn from a seed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from empirics.model import LanguageModel, initialise

sys.path.insert(0, str(Path(__file__).parent))  # for `architectures`, as tests are no package


def build(config, seed="test"):
    """A language model with random weights, biases and norms included."""
    model = LanguageModel(config)
    initialise(model, seed)
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "bias" in name or "norm" in name:
                parameter += 0.1 * torch.randn(parameter.shape, generator=generator)
    return model


@pytest.fixture
def language_model():
    """Build a language model with random weights."""
    return build


@pytest.fixture(scope="session")
def random_model():
    """The same, for property tests: one for all of their examples."""
    return build


@pytest.fixture
def tokens():
    return torch.randint(0, 19, (3, 10), generator=torch.Generator().manual_seed(4))
