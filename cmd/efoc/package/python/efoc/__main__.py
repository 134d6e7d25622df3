"""Runs the program: python -m efoc."""

import os
import subprocess
import sys

from ._program import program

if sys.platform == "win32":  # where exec would end this process at once
    sys.exit(subprocess.call([program(), *sys.argv[1:]]))
os.execv(program(), ["efoc", *sys.argv[1:]])
