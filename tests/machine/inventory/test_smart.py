from raidtui.machine.inventory.probe import with_health
from raidtui.machine.system.ports import Ran
from raidtui.programs import nvme, smartctl
from raidtui.values.inventory import Disk, Smart
from tests.machine.answers import Answers

SDA = Disk(id="a", size_bytes=1, kernel_name="sda")
SDB = Disk(id="b", size_bytes=1, kernel_name="sdb")
NVME = Disk(id="c", size_bytes=1, kernel_name="nvme0n1", transport="nvme")


def said(stdout: str, code: int = 0) -> Ran:
    return Ran(exit=code, stdout=stdout, stderr="")


def test_a_failing_drive_is_an_answer_and_a_sleeping_one_is_left_asleep() -> None:
    answers = Answers(
        runs={
            smartctl.argv("/dev/sda"): said('{"smart_status": {"passed": false}, "rotation_rate": 7200}', 8),
            smartctl.argv("/dev/sdb"): said('{"smartctl": {"exit_status": 3}}', 3),
        }
    )
    disks, trouble = with_health(answers, (SDA, SDB))
    assert (disks[0].smart, disks[0].rpm) == (Smart(healthy=False), 7200)
    assert disks[1] == SDB
    assert trouble == ("health of 1 of 2 disks: asleep, not woken",)


def test_without_smartctl_nvme_answers_for_its_own() -> None:
    answers = Answers(runs={nvme.argv("/dev/nvme0n1"): said('{"critical_warning": 0, "temperature": 300}')})
    disks, trouble = with_health(answers, (SDA, NVME))
    assert disks == (
        SDA,
        Disk(
            id="c", size_bytes=1, kernel_name="nvme0n1", transport="nvme", smart=Smart(healthy=True, temperature_c=27)
        ),
    )
    assert trouble == ("health of 1 of 2 disks: install smartmontools",)
