"""Every answer as blocks or rows, and what renders them: text, Markdown, HTML."""
