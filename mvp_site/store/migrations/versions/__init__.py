"""One file a migration, in the order of their numbers; an old one is never edited."""
