"""Tests of the build backend, and of the wheel in a virtual environment of its own."""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

import backend
from efoc._program import program

HERE = Path(backend.__file__).parent
TARGET = f"{'windows' if os.name == 'nt' else sys.platform}/{'arm64' if os.uname().machine in ('arm64', 'aarch64') else 'amd64'}"


class Wheel(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        small = self.folder / "program"
        small.write_bytes(b"of any content")
        self.settings = {"program": str(small), "target": TARGET, "version": "v1.2.3"}

    def test_record(self) -> None:
        """The record has the digest of every file, and the program alone is to be run."""
        for target, script in (("linux/arm64", "efoc"), ("darwin/arm64", "efoc"), ("windows/amd64", "efoc.exe")):
            name = backend.build_wheel(str(self.folder), {**self.settings, "target": target})
            first = (self.folder / name).read_bytes()
            with zipfile.ZipFile(io.BytesIO(first)) as wheel:
                rows = {row[0]: row[1:] for row in csv.reader(wheel.read("efoc-1.2.3.dist-info/RECORD").decode().splitlines())}
                self.assertEqual(set(rows), set(wheel.namelist()))
                for file, (digest, size) in rows.items():
                    data = wheel.read(file)
                    if not file.endswith("RECORD"):
                        self.assertEqual(digest, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("="))
                        self.assertEqual(size, str(len(data)))
                runs = [entry.filename for entry in wheel.infolist() if entry.external_attr >> 16 & 0o111]
                self.assertEqual(runs, [f"efoc-1.2.3.data/scripts/{script}"])
                self.assertEqual(wheel.read(runs[0]), b"of any content")
                tags = [
                    line.split("-")[2]
                    for line in wheel.read("efoc-1.2.3.dist-info/WHEEL").decode().splitlines()
                    if line.startswith("Tag: ")
                ]
                self.assertEqual(name, f"efoc-1.2.3-py3-none-{'.'.join(tags)}.whl")
            backend.build_wheel(str(self.folder), {**self.settings, "target": target})
            self.assertEqual((self.folder / name).read_bytes(), first, "the same files make another wheel")

    def test_refused(self) -> None:
        with self.assertRaisesRegex(SystemExit, "plan9/386: want one of linux/amd64, "):
            backend.build_wheel(str(self.folder), {**self.settings, "target": "plan9/386"})
        with self.assertRaisesRegex(SystemExit, "version latest: want one such as 1.2.3"):
            backend.build_sdist(str(self.folder), {"version": "latest"})

    def test_source(self) -> None:
        """A source distribution holds what it takes to make a wheel, and names its version."""
        try:
            subprocess.run(["git", "rev-parse"], cwd=HERE, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("needs git and a clone")
        name = backend.build_sdist(str(self.folder), self.settings)
        with tarfile.open(self.folder / name) as archive:
            archive.extractall(self.folder, filter="data")
        source = self.folder / "efoc-1.2.3"
        modules = subprocess.check_output(["go", "list", "./cmd/efoc"], cwd=source / "go", text=True) if shutil.which("go") else "cmd/efoc"
        self.assertIn("cmd/efoc", modules)
        command = "import backend, sys; print(backend.build_wheel(*sys.argv[1:2], dict(zip(('program', 'target'), sys.argv[2:]))))"
        args = [sys.executable, "-c", command, str(self.folder), self.settings["program"], TARGET]
        made = subprocess.check_output(args, cwd=source, text=True).strip()
        self.assertTrue(made.startswith("efoc-1.2.3-"), made)

    @unittest.skipUnless(importlib.util.find_spec("ensurepip"), "needs ensurepip")
    def test_installed(self) -> None:
        """The wheel alone makes a program, a module that runs, and a package."""
        wheel = backend.build_wheel(str(self.folder), {**self.settings, "program": program()})
        venv.create(self.folder / "venv", with_pip=True)
        scripts = self.folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | {"PATH": os.defpath}

        def run(*args: str) -> str:
            done = subprocess.run(args, cwd=self.folder, env=environment, capture_output=True, encoding="utf-8")
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        python = str(scripts / "python")
        run(python, "-m", "pip", "install", "--no-index", "--no-deps", str(self.folder / wheel))
        self.assertRegex(run(str(scripts / "efoc"), "--version"), r"^efoc ")
        self.assertEqual(run(python, "-m", "efoc", "--version"), run(str(scripts / "efoc"), "--version"))
        code = "import efoc, efoc._program; print(efoc._program.program()); print(efoc.open().ask('capital(\"France\", y)', k=1)[0].name)"
        self.assertEqual(run(python, "-c", code).splitlines(), [str((scripts / "efoc").resolve()), "Paris"])
        run(python, "-m", "pip", "uninstall", "-y", "efoc")
        self.assertFalse((scripts / "efoc").exists())
        # Without an environment, into a folder.
        run(python, "-m", "pip", "install", "--no-index", "--no-deps", "--target", str(self.folder / "target"), str(self.folder / wheel))
        environment["PYTHONPATH"] = str(self.folder / "target")
        self.assertEqual(run(python, "-c", code).splitlines()[1], "Paris")


@unittest.skipUnless(importlib.util.find_spec("mypy"), "needs mypy")
class Types(unittest.TestCase):
    def test_strict(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", cache], cwd=HERE, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
