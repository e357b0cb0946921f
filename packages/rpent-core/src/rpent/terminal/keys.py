"""The keys of the input line, besides those of any line editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent


def task_keys(quit_run: Callable[[], None]) -> KeyBindings:
    """Enter sends, Ctrl-J breaks the line, Ctrl-C and Ctrl-D (on an empty line) give up."""
    from prompt_toolkit.key_binding import KeyBindings  # noqa: PLC0415  (only interactive runs need it)

    keys = KeyBindings()

    @keys.add("enter")
    def _send(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("c-j")
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    def _quit(event: KeyPressEvent) -> None:
        quit_run()
        event.app.exit(exception=EOFError)

    @keys.add("c-d")
    def _end(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.delete()
        else:
            quit_run()
            event.app.exit(exception=EOFError)

    return keys


def steering_keys(interrupt: Callable[[], None], quit_run: Callable[[], None]) -> KeyBindings:
    """Besides: Esc interrupts what is going on."""
    keys = task_keys(quit_run)

    @keys.add("escape", eager=True)
    def _interrupt(_event: KeyPressEvent) -> None:
        interrupt()

    return keys
