"""`pocketmind run` and `make run`: check everything first, start the server quietly, say what to open and type."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from context.errors import ConfigurationError, PocketMindError
from context.messages import choose
from engine.engine import open_engine
from engine.settings import Settings, load_settings, speaks
from server.token import local_token
from storage import sessions

ROOT = Path(__file__).resolve().parents[1]
_READY_SECONDS = 60.0
_RECENT = 20
_QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGSMITH_TRACING": "false",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGGRAPH_STRICT_MSGPACK": "true",
    "LANGCHAIN_TRACING_V2": "false",
    "NO_COLOR": "1",
    "OMP_WAIT_POLICY": "passive",
}


def main(arguments: list[str] | None = None) -> int:
    """Run the server until it is stopped. Exit code: 0 stopped, 1 failed or refused, 2 configuration."""
    parser = argparse.ArgumentParser(prog="pocketmind run", description=__doc__)
    parser.add_argument("--host", help="address to listen on (default: POCKETMIND_HOST or 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port (default: POCKETMIND_PORT or 2024)")
    parser.add_argument("--no-studio", action="store_true", help="refuse LangSmith Studio's sign-in")
    options = parser.parse_args(arguments)
    for name, value in (("HOST", options.host), ("PORT", options.port)):
        if value is not None:
            os.environ[f"POCKETMIND_{name}"] = str(value)
    if options.no_studio:
        os.environ["POCKETMIND_STUDIO"] = "false"
    settings: Settings | None = None
    try:
        settings = load_settings()
        return run(settings)
    except PocketMindError as error:
        print(f"pocketmind: {error.text(speaks(settings))}", file=sys.stderr)  # noqa: T201  # this is a command's own output
        if error.hint:
            print(f"  {error.hint}", file=sys.stderr)  # noqa: T201
        return 2 if isinstance(error, ConfigurationError) else 1


def run(settings: Settings) -> int:
    """Check, start, wait.

    Raises:
        ConfigurationError: the port is taken, `langgraph dev` is missing, or a setting cannot be used.
        StorageUnavailable: the database cannot be reached.
    """
    language = speaks(settings)
    refuse_taken_port(settings)
    if not (ROOT / "langgraph.json").exists():
        raise ConfigurationError(
            "langgraph.json is not beside the installed packages.", hint="Run from a checkout: make run"
        )
    _say(choose(language, "正在启动……", "Starting ..."))
    began = time.monotonic()
    recent, model, notes = asyncio.run(_checked(settings))
    token = local_token(settings.home)
    shutil.rmtree(ROOT / ".langgraph_api", ignore_errors=True)  # its pickles hold run input in clear text
    log = settings.home / "server.log"
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    command += ["--host", settings.host, "--port", str(settings.port), "--config", str(ROOT / "langgraph.json")]
    command += ["--n-jobs-per-worker", str(settings.jobs_per_worker)]
    with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as output:
        server = subprocess.Popen(  # noqa: S603  # our own interpreter and arguments
            command, cwd=ROOT, env={**os.environ, **_QUIET}, stdout=output, stderr=output
        )
    _forward_signals(server)
    try:
        _wait_until_ready(server, settings, log)
        _register(settings, token, recent)
        seconds = time.monotonic() - began
        _say(greeting(settings, model=model, notes=notes, log=log, seconds=seconds))
        return _ended(server)
    finally:
        if server.poll() is None:
            server.terminate()
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                server.kill()
        shutil.rmtree(ROOT / ".langgraph_api", ignore_errors=True)


def refuse_taken_port(settings: Settings) -> None:
    """Raises ConfigurationError when something listens there already, saying whether it is one of ours."""
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
            return
        except OSError as error:
            reason = error
    try:
        ours = httpx.get(f"{_base(settings)}/ok", timeout=2).json().get("ok") is True
    except (httpx.HTTPError, ValueError, AttributeError):
        ours = False
    if ours:
        raise ConfigurationError(
            f"PocketMind is running already at {_base(settings)}.",
            hint="Use it, or choose another port: --port 2025",
            zh=f"PocketMind 已经在 {_base(settings)} 运行。",
        )
    raise ConfigurationError(
        f"Port {settings.port} on {settings.host} cannot be used: {reason.strerror}.",
        zh=f"{settings.host} 的端口 {settings.port} 无法使用：{reason.strerror}。",
        hint="Choose another: pocketmind run --port 2025, or make run PORT=2025",
    )


async def _checked(settings: Settings) -> tuple[list[dict[str, Any]], str, list[str]]:
    """Open the engine once, so that every problem is told here and not in the server's log."""
    async with open_engine(settings) as engine:
        scope = engine.local_scope()
        async with engine.database.transaction(scope) as tx:
            found = await sessions.list_sessions(tx, limit=_RECENT)
        recent = [{"thread_id": str(session.session_id), "title": session.title} for session in found]
        notes = [degradation.detail for degradation in engine.degradations]
        if engine.embedder is not None and engine.embedder.note:
            notes.append(engine.embedder.note)
        return recent, engine.model_name, notes


def _wait_until_ready(server: subprocess.Popen[bytes], settings: Settings, log: Path) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            if httpx.get(f"{_base(settings)}/ok", timeout=2).status_code == 200:
                return
        except httpx.HTTPError:
            pass  # not yet; the deadline below decides
        time.sleep(0.1)
    tail = "\n".join(log.read_text("utf-8", "replace").splitlines()[-15:])
    raise PocketMindError(f"The server did not start. The end of {log}:\n{tail}")


def _register(settings: Settings, token: str, recent: list[dict[str, Any]]) -> None:
    """Tell the server the recent sessions, so that Studio lists them: our tables are the registry, not its memory."""
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=_base(settings), headers=headers, timeout=10) as client:
        for session in reversed(recent):
            body = {
                "thread_id": session["thread_id"],
                "if_exists": "do_nothing",
                "metadata": {"graph_id": "chat", "title": session["title"]},
            }
            client.post("/threads", json=body).raise_for_status()


def greeting(settings: Settings, *, model: str, notes: list[str], log: Path, seconds: float) -> str:
    """What to open and what to type next."""
    base = _base(settings)
    language = speaks(settings)
    studio = f"https://smith.langchain.com/studio/?baseUrl={base}"
    command = _command()
    ready = choose(language, f"PocketMind 已就绪（{seconds:.1f} 秒）", f"PocketMind is ready ({seconds:.1f} s)")
    quoting = choose(language, "（离线：摘录式回答，附出处）", " (offline: answers by quoting, with sources)")
    question = choose(language, "为什么记忆放在 PostgreSQL 里？", "How is retrieval ranked?")
    lines = [
        f"{ready}: {base}",
        choose(language, "  模型    ", "  model    ") + model + (quoting if settings.offline else ""),
        f"  Studio   {studio}" if settings.studio else choose(language, "  Studio  已关闭", "  Studio   off"),
        choose(language, "  日志    ", "  log      ") + str(log),
        *[f"  ! {note}" for note in notes],
        "",
        choose(language, "接下来可以输入：", "What to type next:"),
        f"  {command} notes import docs",
        f'  {command} chat -m "{question}"',
        f"  {command} chat",
        "",
        choose(language, "按 Ctrl-C 停止。", "Ctrl-C stops it."),
    ]
    return "\n".join(lines)


def _ended(server: subprocess.Popen[bytes]) -> int:
    code = server.wait()
    return 0 if code in (0, -signal.SIGINT, -signal.SIGTERM, 130, 143) else 1


def _forward_signals(server: subprocess.Popen[bytes]) -> None:
    def stop(number: int, _frame: Any) -> None:
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


def _base(settings: Settings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{settings.port}"  # noqa: S104  # only compared


def _command() -> str:
    """How this installation's command is typed: by name when it is on the PATH, else with its folder."""
    own = Path(sys.executable).with_name("pocketmind")
    found = shutil.which("pocketmind")
    if found and Path(found).resolve() == own.resolve():
        return "pocketmind"
    return os.path.relpath(own) if own.is_relative_to(Path.cwd()) else str(own)


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # this is a command's own output


if __name__ == "__main__":
    sys.exit(main())
