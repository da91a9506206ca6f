"""Values about many hosts: what is asked of a host, what it answers, and the inventories of all."""
