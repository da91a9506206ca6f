#!/usr/bin/python
# Copyright: raidtui developers
# MIT License (see https://opensource.org/licenses/MIT)
"""Checks, builds or undoes one plan of raidtui."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: plan
short_description: Check, build or undo a plan of raidtui on its host
version_added: 0.1.0
description:
  - Gives a plan to the raidtui on the host, whose own executor checks, builds and reads back everything.
  - Building B(erases every disk that the plan names).
  - A plan that is built is left alone, whatever was tried before; the host knows its runs by the UUIDs of the plan.
options:
  plan:
    description: The plan, the content of the C(plan.json) that C(raidtui plan) or C(raidtui fleet plan) wrote.
    type: dict
    required: true
  digest:
    description:
      - Digest of the plan as it was read and confirmed. It must be that of O(plan).
      - Without it nothing is built or undone.
    type: str
  state:
    description: V(present) builds the plan, V(absent) removes what its build created.
    type: str
    choices: [present, absent]
    default: present
  accept_content:
    description: Serial numbers of disks, or kinds of content such as C(file-system), whose loss is accepted.
    type: list
    elements: str
    default: []
  lose_files:
    description: How many files an undo may lose, as raidtui counts them.
    type: str
    default: "0"
  during_sync:
    description: Build although other arrays sync, and make file systems of RAID4 and RAID5 during their first sync.
    type: bool
    default: false
  wait_for_sync:
    description: Make file systems only when the first sync has ended.
    type: bool
    default: false
  resume:
    description: Continue a build that was stopped, interrupted or failed.
    type: bool
    default: false
  take_over:
    description: Follow a build that another control host follows.
    type: bool
    default: false
  control:
    description: Name under which the host keeps who follows the build.
    type: str
    default: ansible
  wait:
    description: V(false) ends the task as soon as the host has begun; a later task with V(true) waits for the end.
    type: bool
    default: true
  interval:
    description: Seconds between two questions while it builds.
    type: int
    default: 10
  command:
    description: Command of raidtui on the host.
    type: list
    elements: str
    default: [raidtui, fleet-host]
attributes:
  check_mode:
    description: Makes every check of the build on the host, and writes nothing.
    support: full
  diff_mode:
    description: Shows the content of each disk before and its array after.
    support: full
author:
  - raidtui developers (@raidtui)
"""

EXAMPLES = r"""
- name: Build the plan of this host
  raidtui.storage.plan:
    plan: "{{ lookup('file', 'sheet/' ~ inventory_hostname ~ '/plan.json') | from_json }}"
    digest: "{{ raid_digest }}"

- name: Remove it again
  raidtui.storage.plan:
    plan: "{{ lookup('file', 'sheet/' ~ inventory_hostname ~ '/plan.json') | from_json }}"
    digest: "{{ raid_digest }}"
    state: absent
"""

RETURN = r"""
run:
  description: State of the run on the host; its schema is printed by C(raidtui schema run).
  returned: when it has begun
  type: dict
findings:
  description: What the checks found, the gravest first.
  returned: when the plan was checked
  type: list
  elements: dict
"""

import time
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.raidtui.storage.plugins.module_utils.host import COMMAND, Refused, ask, claim, result

Document = dict[str, Any]
SPEC = {
    "plan": {"type": "dict", "required": True},
    "digest": {"type": "str"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "accept_content": {"type": "list", "elements": "str", "default": []},
    "lose_files": {"type": "str", "default": "0"},
    "during_sync": {"type": "bool", "default": False},
    "wait_for_sync": {"type": "bool", "default": False},
    "resume": {"type": "bool", "default": False},
    "take_over": {"type": "bool", "default": False},
    "control": {"type": "str", "default": "ansible"},
    "wait": {"type": "bool", "default": True},
    "interval": {"type": "int", "default": 10},
    "command": {"type": "list", "elements": "str", "default": COMMAND},
}


class Host:
    """The raidtui of this host and the plan that the task is about."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.asked = module.params
        self.plan = module.params["plan"]
        self.follower: Document | None = None

    def tell(self, kind: str, **more: Any) -> Document:
        """State of the run after an order of `kind`."""
        order = {"run_id": self.plan["run_id"], "digest": self.plan["digest"]}
        told: Document = result(ask(self.module, self.asked["command"], kind, dict(order, **more)))
        self.follower = told.get("claim")
        return told

    def following(self) -> Document:
        """What an order says of the one that tells."""
        return {"claim": claim(self.plan, self.asked["control"]), "take_over": self.asked["take_over"]}

    def require_followed_here(self) -> None:
        """Ends the module where the host would refuse an order, since another control host follows the run."""
        ours = claim(self.plan, self.asked["control"])
        if self.follower and self.follower["token"] != ours["token"] and not self.asked["take_over"]:
            self.module.fail_json(
                msg="control host %s follows this run since %s" % (self.follower["control"], self.follower["since"]),
                hint="leave it to that control host, or take over: take_over: true",
            )

    def run(self) -> Document | None:
        """State of the run; None if it did not begin."""
        return self.tell("status").get("run")

    def check(self) -> list[Document]:
        """Findings of the host about the plan."""
        found: list[Document] = result(ask(self.module, self.asked["command"], "check", self.plan)).get("findings", [])
        return found

    def build(self) -> Document | None:
        """Starts the build."""
        order = dict(
            self.following(),
            plan=self.plan,
            accept_content=self.asked["accept_content"],
            during_sync=self.asked["during_sync"],
            wait_for_sync=self.asked["wait_for_sync"],
        )
        run: Document | None = result(ask(self.module, self.asked["command"], "build", order)).get("run")
        return run

    def ended(self, run: Document | None) -> Document | None:
        """State of the run when its executor has ended, or at once where the task does not wait."""
        while self.asked["wait"] and run is not None and run["outcome"] == "running":
            time.sleep(self.asked["interval"])
            run = self.run()
        return run


def stands(run: Document) -> bool:
    """True if what the plan creates is there, wholly or partly."""
    return not (run["purpose"] == "undo" and run["outcome"] == "finished")


def difference(plan: Document, absent: bool) -> dict[str, str]:
    """Content of each disk before, its array after; the other way round for an undo."""
    content = []
    members = []
    for disk in plan["disks"]:
        held = ", ".join(sorted({each["kind"] for each in disk.get("content", [])})) or "blank"
        content.append("%s: %s" % (disk["id"], held))
        members.append("%s: member or spare of plan %s" % (disk["id"], plan["digest"][:8]))
    if absent:
        content = ["%s: blank" % disk["id"] for disk in plan["disks"]]
        content, members = members, content
    return {"before": "\n".join(content) + "\n", "after": "\n".join(members) + "\n"}


def confirmed(module: Any, plan: Document) -> None:
    """Ends the module unless the digest confirms the plan."""
    digest = module.params["digest"]
    if digest is None:
        module.fail_json(msg="digest is required: nothing was started", hint="read the plan, then name its digest")
    if digest != plan["digest"]:
        module.fail_json(msg="digest is not that of the plan: nothing was started", digest_of_plan=plan["digest"])


def finish(module: Any, host: Host, run: Document | None, what: str, changed: bool) -> None:
    """Ends the module with the end of the run, or while it runs where the task does not wait."""
    run = host.ended(run)
    if run is None or run["outcome"] not in (("finished",) if host.asked["wait"] else ("finished", "running")):
        reason = (run or {}).get("reason", "unknown")
        module.fail_json(msg="the %s has not finished: %s" % (what, reason), run=run, changed=True)
    module.exit_json(changed=changed, run=run)


def present(module: Any, host: Host) -> None:
    """Builds the plan unless it is built."""
    run = host.run()
    if run is not None and run["purpose"] == "undo":
        module.fail_json(msg="the build of this plan was undone", hint="make a new plan", run=run)
    if run is not None and run["outcome"] == "finished":
        module.exit_json(changed=False, run=run)
    if run is None:
        findings = host.check()
        refused = [each for each in findings if each["severity"] == "error"]
        if refused:
            module.fail_json(msg=refused[0]["message"], hint=refused[0].get("way_out", ""), findings=findings)
        if module.check_mode:
            module.exit_json(changed=True, findings=findings, diff=difference(host.plan, False))
        confirmed(module, host.plan)
        run = host.build()
        changed = True
    elif run["outcome"] == "running":
        if module.check_mode:
            module.exit_json(changed=False, run=run)
        changed = False
    else:
        if not host.asked["resume"]:
            module.fail_json(
                msg="the build has ended %s: %s" % (run["outcome"], run["reason"]), hint="resume: true goes on", run=run
            )
        host.require_followed_here()
        if module.check_mode:
            module.exit_json(changed=True, run=run)
        confirmed(module, host.plan)
        run = host.tell("resume", **host.following()).get("run")
        changed = True
    finish(module, host, run, "build", changed)


def absent(module: Any, host: Host) -> None:
    """Removes what the build created."""
    run = host.run()
    if run is None or not stands(run):
        module.exit_json(changed=False, run=run)
        return
    if run["outcome"] == "running" and run["purpose"] != "undo":
        module.fail_json(msg="the build runs", hint="wait until it has ended", run=run)
    if run["outcome"] != "running":
        host.require_followed_here()
        files = host.tell("undo-look").get("files") or "0"
        if files != host.asked["lose_files"]:
            module.fail_json(
                msg="%s files are on the arrays, lose_files is %s: nothing was removed"
                % (files, host.asked["lose_files"])
            )
        if module.check_mode:
            module.exit_json(changed=True, run=run, diff=difference(host.plan, True))
        confirmed(module, host.plan)
        run = host.tell("undo", lose_files=files, **host.following()).get("run")
    elif module.check_mode:
        module.exit_json(changed=False, run=run)
    finish(module, host, run, "undo", True)


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    host = Host(module)
    for key in ("run_id", "digest", "host", "disks"):
        if key not in host.plan:
            module.fail_json(msg="plan has no %s: it is not a plan of raidtui" % key)
    try:
        (present if module.params["state"] == "present" else absent)(module, host)
    except Refused as problem:
        module.fail_json(msg=str(problem), hint=problem.hint)


if __name__ == "__main__":
    main()
