# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs and links can contain. To add a feature, write a function in a module named here.

The order of these lines is the order in which a case's features are applied: content first, then
how it is compiled and linked.
"""

from . import calls  # noqa: F401
from . import variables  # noqa: F401
from . import memory  # noqa: F401
from . import synchronisation  # noqa: F401
from . import kernels  # noqa: F401
from . import library  # noqa: F401
from . import compilation  # noqa: F401
from . import linking  # noqa: F401
from . import options  # noqa: F401
from . import cplusplus  # noqa: F401
from . import dynamic  # noqa: F401
from . import optimization  # noqa: F401
from . import rejected  # noqa: F401
from .registry import FEATURES, Feature, content_features  # noqa: F401
