"""What the rest asks of a machine: protocols and the values they answer with. No call to the system, and no import of
another package of machine/."""
