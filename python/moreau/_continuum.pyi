# SPDX-License-Identifier: GPL-3.0-or-later
# Compiled; arguments are checked by the functions of the package that call it.
from typing import Any, Dict, List, Optional

import numpy as np

def macro_impact(settings: List[str], U: Any, density: Any, D: Optional[np.ndarray]) -> Dict[str, Any]: ...
def homogenize(settings: List[str], x: np.ndarray, radii: np.ndarray, U: Any, density: Any,
               contact_tolerance: float, accuracy: float, D: Optional[np.ndarray]) -> Dict[str, Any]: ...
