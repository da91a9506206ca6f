"""Many hosts: carries requests to them and reads their answers; and the host's side of it."""
