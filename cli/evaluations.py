"""`pocketmind eval`: how good retrieval and the offline brain are, each figure beside what was promised for it."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli.options import Who, command

if TYPE_CHECKING:
    from cli.output import Bar, Output
    from evaluation.retrieval_eval import Evaluated

app = typer.Typer(name="eval", help="Measure retrieval and the offline brain. 评测", no_args_is_help=True)
_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@command(app, "retrieval")
def retrieval(
    who: Who,
    data: Annotated[
        Path, typer.Option("--data", exists=True, help="A data set, or a folder with data sets. 数据集所在位置")
    ],
    kind: Annotated[Literal["auto", "locomo", "memorybank"], typer.Option("--kind", help="Which set. 类型")] = "auto",
    conversations: Annotated[
        str, typer.Option("--conversations", metavar="0-9", help="Of LoCoMo, such as 0-4,7. 对话编号")
    ] = "",
    ablate: Annotated[bool, typer.Option("--ablate", help="Switch each mechanism in turn. 消融")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="At most so many questions a conversation. 每个对话的题数")
    ] = None,
    home: Annotated[
        Path | None, typer.Option("--home", help="Use this embedded PostgreSQL and keep vectors here. 复用目录")
    ] = None,
    plots: Annotated[Path | None, typer.Option("--plots", metavar="DIR", help="Write PNGs here. 图表目录")] = None,
) -> None:
    """Ask labelled conversations (LoCoMo, MemoryBank-zh) by the shipped path, without a model. 检索评测"""
    import asyncio

    from cli.output import Output
    from engine.logs import configure_logs
    from engine.settings import load_settings, speaks
    from evaluation.figures import console
    from evaluation.retrieval_eval import RetrievalOptions, chosen_sets, evaluate_retrieval
    from evaluation.rig import leave_when_told, own_database

    out = Output(language=speaks(load_settings()), as_json=who.as_json)
    options = RetrievalOptions(
        data=data,
        kind=None if kind == "auto" else kind,
        conversations=numbers_of(conversations) if conversations else None,
        questions=limit,
        ablate=ablate,
        vectors=home,
    )
    sets = chosen_sets(options)
    configure_logs()
    leave_when_told()
    with ExitStack() as closing:
        with out.waiting("starting_database"):
            rig = closing.enter_context(own_database(home))
        progress = closing.enter_context(_Stages(out))
        found = asyncio.run(evaluate_retrieval(rig, sets, options, progress))
    if out.as_json:
        out.answer(found.report.to_json())
    else:
        found.report.print_to(console())
    if plots is not None:
        _plot(out, found, plots)


@app.command("offline", context_settings=_PASSED_ON, add_help_option=False)
def offline(context: typer.Context) -> None:
    """Measure intents, statements and answers of the offline brain on labelled sets. 离线能力评测"""
    from evaluation.offline import main

    if code := main(context.args):
        raise typer.Exit(code)


def numbers_of(text: str) -> tuple[int, ...]:
    """`0-4,7` as numbers, in order, each once.

    Raises:
        typer.BadParameter: it is no list of numbers and ranges.
    """
    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise typer.BadParameter(f"{text!r} is no list such as 0-4,7", param_hint="--conversations")
        numbers.update(range(int(first), int(last or first) + 1))
    return tuple(sorted(numbers))


class _Stages:
    """A bar for each stage of the work, one after the other."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._stage = ""
        self._open: AbstractContextManager[Bar] | None = None
        self._bar: Bar | None = None

    def __enter__(self) -> _Stages:
        return self

    def __exit__(self, *error: Any) -> None:
        self._close()

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self._close()
            self._stage = stage
            self._open = self._out.progress(f"eval_{stage}", total=total)
            self._bar = self._open.__enter__()
        if self._bar is not None:
            self._bar.reach(done, total)

    def _close(self) -> None:
        if self._open is not None:
            self._open.__exit__(None, None, None)
        self._open = self._bar = None


def _plot(out: Output, found: Evaluated, folder: Path) -> None:
    from evaluation.retrieval_plots import can_plot, plot_ablation, plot_latency

    if not can_plot():
        out.notice("eval_no_plots", style="yellow")
        return
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "latency.png"]
    times = {name: [one.milliseconds for one in outcomes] for name, outcomes in found.outcomes.items()}
    plot_latency(times, files[0])
    for name, compared in found.ablation.items():
        files.append(folder / f"ablation-{name.lower()}.png")
        plot_ablation(compared, files[-1])
    out.notice("eval_plots", files=", ".join(str(file) for file in files))
