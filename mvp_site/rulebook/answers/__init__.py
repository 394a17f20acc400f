"""What some intentions promise beside the sections: tables, and what they cite."""
