"""What a rulebook's text says as data: tables, facts, level tables, lists of spells."""
