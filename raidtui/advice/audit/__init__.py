"""What is wrong, or will be, with the md arrays of a machine: rules that judge facts."""
