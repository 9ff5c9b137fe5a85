"""All targets by their names."""

from random import Random

from .encoders import ENCODER_TARGETS
from .files import CompressedTarget, FilePool, FileTarget, ThriftTarget
from .pages import PAGE_TARGETS, BatchTarget, LevelsTarget

_pages = {target.name: target for target in PAGE_TARGETS}
_pool = FilePool(Random(0))

TARGETS = _pages | {
    target.name: target
    for target in (
        LevelsTarget(),
        BatchTarget(_pages),
        *ENCODER_TARGETS,
        CompressedTarget(),
        ThriftTarget(_pool),
        FileTarget(_pool, _pages),
    )
}
