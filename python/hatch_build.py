"""Puts the programs into the wheel.

Where ``STACKX_STAGE`` names an installed tree, its ``bin`` becomes the wheel's scripts and its ``share`` its data, so that
``pip install`` lays both out as ``cmake --install`` does, and ``STACKX_WHEEL_TAG`` says what the programs run on. Without
it the wheel holds the Python package alone and looks for the program elsewhere.
"""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Programs(BuildHookInterface):  # type: ignore[type-arg]  # hatchling is there where wheels are built, only
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        stage = os.environ.get("STACKX_STAGE")
        if not stage:
            return
        for program in sorted(Path(stage, "bin").iterdir()):
            build_data["shared_scripts"][str(program)] = program.name
        for file in sorted(Path(stage, "share").rglob("*")):
            place = file.relative_to(Path(stage, "share"))
            if file.is_file() and place.parts[0] != "doc":  # licences: the wheel has a folder of its own for them
                build_data["shared_data"][str(file)] = str(Path("share", place))
        build_data["tag"] = os.environ["STACKX_WHEEL_TAG"]
        build_data["pure_python"] = False
