"""md arrays that exist on a machine, whoever made them. Reads only; without root it says what it could not read."""
