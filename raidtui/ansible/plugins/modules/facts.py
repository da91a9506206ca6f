#!/usr/bin/python
# Copyright: raidtui developers
# MIT License (see https://opensource.org/licenses/MIT)
"""Disks, links and versions of a host."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: facts
short_description: Disks, links and versions of a host, as raidtui finds them
version_added: 0.1.0
description:
  - Asks the raidtui on the host for its inventory and returns it as facts. Changes nothing.
options:
  command:
    description: Command of raidtui on the host.
    type: list
    elements: str
    default: [raidtui, fleet-host]
attributes:
  check_mode:
    description: Changes nothing in either mode.
    support: full
author:
  - raidtui developers (@raidtui)
"""

EXAMPLES = r"""
- name: Look at the disks
  raidtui.storage.facts:

- name: Show how many disks are blank
  ansible.builtin.debug:
    msg: "{{ ansible_facts.raidtui.disks | selectattr('state', 'equalto', 'blank') | length }}"
"""

RETURN = r"""
ansible_facts:
  description: The inventory under the key C(raidtui); its schema is printed by C(raidtui schema inventory).
  returned: success
  type: dict
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.raidtui.storage.plugins.module_utils.host import COMMAND, Refused, ask


def main() -> None:
    """Entry point."""
    module = AnsibleModule(
        argument_spec={"command": {"type": "list", "elements": "str", "default": COMMAND}}, supports_check_mode=True
    )
    try:
        inventory = ask(module, module.params["command"], "look")["inventory"]
    except Refused as problem:
        module.fail_json(msg=str(problem), hint=problem.hint)
    module.exit_json(changed=False, ansible_facts={"raidtui": inventory})


if __name__ == "__main__":
    main()
