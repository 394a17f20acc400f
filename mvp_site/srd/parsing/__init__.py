"""From repaired rows to records; a row that does not fit raises ``SettingsError``."""
