"""``colcodec warmup``."""

import typer

from .._warmup import warmup
from ._app import app, errors_in_one_line, progress_bar


@app.command("warmup")
def _warmup() -> None:
    """Compile every kernel into the cache, so that no later call has to wait for it."""
    with errors_in_one_line(), progress_bar("Compiling") as progress:
        seconds = warmup(progress)
    typer.echo(f"Kernels ready in {seconds:.1f} s.")
