"""md arrays that exist, the settings an audit needs beside them, and what the next boot goes by. Reads only."""
