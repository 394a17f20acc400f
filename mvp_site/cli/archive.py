"""``mvp-site archive``."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

import click
from rich.table import Table

from ..archive.diff import diff
from ..archive.lint import lint
from ..archive.versions import read_version, resolve_version
from ..settings import Settings
from .output import console, json_option, plain_text, print_json, settings_for, version_option


def register(root: click.Group) -> None:
    """Add the commands."""
    root.add_command(archive)


@click.group()
def archive() -> None:
    """Look at the authored prompts."""


@archive.command("lint")
@version_option
@click.option("--chunks", "show_chunks", is_flag=True, help="List every chunk with its tags.")
@json_option
def lint_command(version: str | None, show_chunks: bool, as_json: bool) -> None:
    """Show what was inferred of a version, how surely, and what stands out; exits 1 on errors."""
    settings = settings_for(version)
    report = lint(read_version(settings, resolve_version(settings)))
    if as_json:
        print_json({
            "findings": [asdict(finding) for finding in report.findings],
            "chunks": [
                {
                    "id": c.id, "section": list(c.section), "lines": list(c.lines),
                    "tokens": c.tokens, "audience": c.audience, "domain": c.domain,
                    "domain_confidence": c.domain_confidence, "mode": c.mode,
                    "mode_confidence": c.mode_confidence, "inferred": list(c.inferred),
                }
                for c in report.chunks
            ],
        })
    else:
        if show_chunks:
            _print_chunks(report.chunks)
        for finding in report.findings:
            colour = {"error": "red", "warning": "yellow"}.get(finding.severity, "dim")
            place = f"{finding.file}:{finding.line}" if finding.line else finding.file
            told = f" {place} {finding.rule}: {finding.message}"
            console.print(plain_text((finding.severity, colour), told))
        counts = Counter(finding.severity for finding in report.findings)
        inferred = sum(bool(chunk.inferred) for chunk in report.chunks)
        console.print(
            f"{len(report.chunks)} chunks, {inferred} with inferred tags; "
            + ", ".join(f"{counts[s]} {s}s" for s in ("error", "warning", "note"))
        )
    if report.errors:
        raise click.exceptions.Exit(1)


def _print_chunks(chunks: object) -> None:
    table = Table("chunk", "section", "lines", "tokens", "domain", "mode", "audience", box=None)
    for chunk in chunks:  # type: ignore[attr-defined]
        sure = {"domain": chunk.domain_confidence, "mode": chunk.mode_confidence}
        domain, mode = (
            f"{getattr(chunk, tag)} ({sure[tag]:.2f})" if tag in chunk.inferred
            else getattr(chunk, tag) or "-"
            for tag in ("domain", "mode")
        )
        table.add_row(
            plain_text(chunk.id), plain_text(" > ".join(chunk.section)),
            f"{chunk.lines[0]}-{chunk.lines[1]}", str(chunk.tokens), domain, mode, chunk.audience,
        )
    console.print(table)


@archive.command("diff")
@click.argument("before")
@click.argument("after")
@json_option
def diff_command(before: str, after: str, as_json: bool) -> None:
    """Compare two versions section by section."""
    settings = Settings()
    found = diff(*(read_version(settings, resolve_version(settings, v)) for v in (before, after)))
    if as_json:
        print_json({**asdict(found), "changed_share": round(found.changed_share, 4)})
        return
    colours = {"added": "green", "removed": "red", "changed": "yellow"}
    for section in found.sections:
        if section.change != "same":
            note = f" ({section.similarity:.0%} alike)" if section.change == "changed" else ""
            place = f" {section.file}: {' > '.join(section.section)}{note}"
            console.print(plain_text((section.change, colours[section.change]), place))
    if found.header_changed:
        console.print("[yellow]changed[/] core_header.txt")
    console.print(
        f"{found.count('same')} sections the same, {found.count('changed')} changed "
        f"({found.changed_share:.0%} of the shared), {found.count('added')} added, "
        f"{found.count('removed')} removed"
    )
