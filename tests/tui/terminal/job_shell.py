"""A shell with one job, for tests: it stops, continues and ends it as shells do, and tells the test.

python job_shell.py FD PROGRAM [WORDS]     FD: end of a pair of sockets. It gets `stopped`, and takes `fg` or `bg`.
Once the test has said that it sends nothing more, the shell leaves a stopped job as it is and waits for its end.

The terminal is its own, as of a login. Only the standard library is used: it starts before each session.
"""

import contextlib
import os
import select
import signal
import sys
import termios

_OURS = (signal.SIGTTOU, signal.SIGTTIN, signal.SIGTSTP, signal.SIGINT, signal.SIGQUIT)
"""signals that a shell with jobs ignores"""


def main(control: int, command: list[str]) -> int:
    """The exit code of the job, 128 + n after signal n."""
    modes = termios.tcgetattr(0)
    for number in _OURS:
        signal.signal(number, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        _become(command)
    with contextlib.suppress(OSError):  # the job has been as fast
        os.setpgid(job, job)
    os.tcsetpgrp(0, job)
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            # The job keeps the terminal: the kernel hangs it up when this process, which leads the session, ends.
            return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        if select.select([control], [], [], 0)[0]:  # the test's end is shut: nothing is asked of a stopped job
            continue
        os.tcsetpgrp(0, os.getpgrp())
        os.write(control, b"stopped")
        asked = os.read(control, 2)
        termios.tcsetattr(0, termios.TCSADRAIN, modes)
        if asked == b"fg":
            os.tcsetpgrp(0, job)
        os.killpg(job, signal.SIGCONT)


def _become(command: list[str]) -> None:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpgrp())
    for number in _OURS:
        signal.signal(number, signal.SIG_DFL)
    os.execv(command[0], command)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
