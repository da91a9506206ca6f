"""Events of the simulated machine (every call of its port); armed faults are triggered by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from raidtui.machine.simulated import boot, fault_injection
from raidtui.machine.simulated.core.fault_model import Fault, FaultSide, Killed, On
from raidtui.machine.simulated.core.state import State
from raidtui.machine.simulated.md import sync
from raidtui.machine.simulated.tools import programs, udev_systemd


class Events:
    """Counts events and triggers faults. `changed` is called when a fault ends the executor."""

    def __init__(self, state: State, changed: Callable[[], None]) -> None:
        self.state = state
        self.dead = False
        self._changed = changed

    def alive(self) -> None:
        """Raises Killed when the executor was killed."""
        if self.dead:
            raise Killed("this executor was killed")

    def count(self, on: On, words: Sequence[str]) -> list[Fault]:
        """The faults that are due at this event."""
        self.alive()
        return fault_injection.count(self.state, on, words)

    def strike(self, due: Sequence[Fault], side: FaultSide, words: Sequence[str]) -> None:
        """Carries out those that happen on this side of the event. Raises Killed when one ends the executor."""
        for fault in fault_injection.at_side(due, side):
            where = f"{side} {_short(words)}"
            if fault.kind in fault_injection.ENDS:
                self._end(fault, where)
            fault_injection.strike(self.state, fault, where)
            self.follow()

    def instead(self, due: Sequence[Fault], words: Sequence[str]) -> Fault | None:
        """The fault that replaces this command, if any."""
        found = next((fault for fault in due if fault.kind in fault_injection.STAND_IN), None)
        if found is not None:
            self.state.fired.append(f"{found.kind} {_short(words)}")
        return found

    def carry_out(
        self, argv: tuple[str, ...], given: tuple[str, ...], due: Sequence[Fault], stdin: str
    ) -> tuple[int, str]:
        """Exit code and output of a command, whose program gets `given` and `stdin`.

        A fault may stand in for it, or end the executor in the middle of it.
        """
        ending = next(
            (fault for fault in fault_injection.at_side(due, "during") if fault.kind in fault_injection.ENDS), None
        )
        instead = self.instead(due, argv)
        if instead is not None and instead.kind == "lie":
            return 0, ""
        if instead is not None and instead.kind == "busy":
            return 1, f"{argv[0]}: {argv[-1]}: Device or resource busy\n"
        if instead is not None and instead.kind == "fail":
            return 1, f"{argv[0]}: it failed\n"
        share = ending.share if ending else instead.share if instead else 1.0
        if self.state.woken:  # maps that were written to before
            udev_systemd.handle(self.state)
        code, output = programs.run(self.state, given, share, stdin)
        self.follow()
        if ending is not None:
            self._end(ending, f"during {_short(argv)}")
        return (1, f"{argv[0]}: it failed half-way\n") if instead is not None else (code, output)

    def follow(self) -> None:
        """Runs the automatic actions of udev and md after an event."""
        udev_systemd.handle(self.state, maps=False)
        sync.tick(self.state)

    def _end(self, fault: Fault, where: str) -> None:
        self.state.fired.append(f"{fault.kind} {where}")
        self.dead = True
        if fault.kind == "power":
            boot.power_off(self.state, cut=True)
            boot.power_on(self.state, (), "", ())
        self._changed()
        raise Killed(where)


def _short(words: Sequence[str]) -> str:
    return " ".join(words)[:120]
