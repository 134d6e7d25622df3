"""Finds and runs the program that the wheel carries: commands, and servers to ask."""

from __future__ import annotations

import collections
import http.client
import importlib.metadata
import json
import os
import secrets
import shutil
import signal
import string
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from ._results import Error, RequestError, decode

NAME = "efoc.exe" if os.name == "nt" else "efoc"


def program() -> str:
    """Return the path of the program: that of the wheel, or else the one on the path."""
    candidates = [Path(__file__).parents[1] / "bin" / NAME]  # of pip install --target
    try:
        candidates += [Path(str(file.locate())) for file in importlib.metadata.files("efoc") or () if file.name == NAME]
    except importlib.metadata.PackageNotFoundError:
        pass  # the source is used as it lies there
    if found := next((str(path.resolve()) for path in candidates if path.is_file()), None) or shutil.which(NAME):
        return found
    raise Error("the program efoc was not found: install the package efoc from a wheel, or put the program on the path")


def start(args: Iterable[str], **options: Any) -> subprocess.Popen[str]:
    """Start the program. Ctrl-C at the terminal does not reach it: this process decides what that means."""
    options |= {"start_new_session": True, "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    return subprocess.Popen([program(), *args], encoding="utf-8", errors="replace", stdout=subprocess.PIPE, **options)


def flags(options: dict[str, Any]) -> list[str]:
    """Return flags for keyword arguments: no_calibration=True is --no-calibration, trainer=["n3=0.1"] is --trainer=n3=0.1."""
    listed = {"--" + name.replace("_", "-"): v if isinstance(v, (list, tuple)) else [v] for name, v in options.items()}
    return [flag if v is True else f"{flag}={v}" for flag, values in listed.items() for v in values if v is not None and v is not False]


def run(*args: str) -> str:
    """Run a command and return the end of what it prints, which also goes to sys.stderr; an interrupt lets it stop cleanly.

    An error does not go there: it is the text of the exception.
    """
    last: collections.deque[str] = collections.deque(maxlen=100)
    error: list[str] = []

    def echo(lines: Iterable[str] | None) -> None:
        for line in lines or ():
            last.append(line)
            if error or line.startswith("efoc: ") and not line.startswith("efoc: warning: "):
                error.append(line)
            else:
                sys.stderr.write(line)

    with start(args, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT) as process:
        try:
            echo(process.stdout)
        except KeyboardInterrupt:
            process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))
            echo(process.stdout)
            sys.stderr.write("".join(error))
            raise
    if process.returncode != 0:
        raise Error("".join(error or last).strip() or f"efoc {args[0]} ended with status {process.returncode}")
    sys.stderr.write("".join(error))
    return "".join(last)


def output(*args: str) -> str:
    """Run a command that takes no time worth showing, and return what it prints."""
    done = subprocess.run([program(), *args], capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Error(done.stderr.strip() or f"efoc {args[0]} ended with status {done.returncode}")
    return done.stdout


_servers: weakref.WeakSet[Server] = weakref.WeakSet()


def _leave_servers() -> None:
    """Close the standard inputs of servers in a fork, which would keep them open after the interpreter that started the servers ends."""
    for server in _servers:
        if server.process.stdin is not None:
            server.process.stdin.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_servers)


class Server:
    """A process of efoc serve on a loopback port, whose tokens this one alone knows. It ends with this one, by its standard input."""

    def __init__(self, flags: list[str], write: bool) -> None:
        self.token, self.facts_token = secrets.token_hex(16), secrets.token_hex(16)
        environment = os.environ | {"EFOC_TOKEN": self.token, "EFOC_FACTS_TOKEN": self.facts_token if write else ""}
        args = ["serve", "--listen=127.0.0.1:0", "--until-eof", "--log-format=json", *flags]
        self.process = start(args, env=environment, stdin=subprocess.PIPE, stderr=subprocess.STDOUT)
        _servers.add(self)
        self.stop = weakref.finalize(self, _stop, self.process)
        self.log: collections.deque[str] = collections.deque(maxlen=20)
        self.address = ""
        for line in self.process.stdout or ():
            self.log.append(line)
            if '"msg":"listening"' in line:
                self.address = json.loads(line)["url"].split("/")[2]
                break
        threading.Thread(target=_drain, args=(self.process.stdout, self.log), daemon=True).start()
        if not self.address:
            raise Error("".join(self.log).strip() or "efoc serve ended at once")

    def request(self, path: str, body: Mapping[str, Any] | None, token: str) -> Any:
        """Return the response to a body as POST, or to none as GET. Threads and forks share no connection."""
        connection = http.client.HTTPConnection(self.address)
        headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
        try:
            connection.request("GET" if body is None else "POST", quote(path, safe=string.punctuation), None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            value = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Error(f"efoc serve does not answer: {error}\n{''.join(self.log)}".rstrip()) from error
        finally:
            connection.close()
        if response.status != http.client.OK:
            raise RequestError(value["error"])
        return value


def _drain(lines: IO[str], log: collections.deque[str]) -> None:
    with lines:
        log.extend(lines)


def _stop(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
