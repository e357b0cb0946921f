"""The keys of the input line, besides those of any line editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent


def line_keys(
    *,
    enter: Callable[[Buffer], None],
    interrupt: Callable[[], None],
    quit_run: Callable[[], None],
    suspend: Callable[[], None],
) -> KeyBindings:
    """Return the bindings. The line stays on the screen from the first key to the end of the run.

    Args:
        enter: Enter: takes what was typed.
        interrupt: Esc.
        quit_run: Ctrl-C, and Ctrl-D on an empty line.
        suspend: Ctrl-Z.
    """
    from prompt_toolkit.application import run_in_terminal  # noqa: PLC0415  (only interactive runs need it)
    from prompt_toolkit.key_binding import KeyBindings  # noqa: PLC0415

    keys = KeyBindings()

    # Before the line is there, the terminal turns Enter into Ctrl-J.
    @keys.add("enter")
    @keys.add("c-j")
    def _enter(event: KeyPressEvent) -> None:
        enter(event.current_buffer)

    @keys.add("c-o")
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    # Eager: Esc acts at once; the price is that Alt with a letter does nothing.
    @keys.add("escape", eager=True)
    def _interrupt(_event: KeyPressEvent) -> None:
        interrupt()

    @keys.add("c-c")
    def _quit(_event: KeyPressEvent) -> None:
        quit_run()

    @keys.add("c-z")
    def _suspend(_event: KeyPressEvent) -> None:
        run_in_terminal(suspend)

    @keys.add("c-d")
    def _end(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.delete()
        else:
            quit_run()

    return keys
