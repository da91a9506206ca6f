"""What an admin decides and what follows from it; reports gathered from what runs left. No Textual."""
