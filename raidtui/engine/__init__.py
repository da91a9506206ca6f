"""One executor: it pins things, looks before it writes, reads back, keeps a journal and goes on after a fault."""
