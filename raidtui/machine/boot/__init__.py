"""What the next boot of a machine goes by: its configuration, and the image that holds a copy of it. Reads only."""
