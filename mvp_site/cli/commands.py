"""Commands made from operations: options from the request's fields, printing from a table."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from ..operations.all import operation as operation_of
from ..operations.operation import Operation
from ..operations.requests import fields as schemas_of
from ..operations.requests import read
from ..operations.services import Services, reporting_to
from ..settings import Settings
from ..text.normalising import clean
from ..text.strict_json import JsonError, parse
from .output import complete_version, json_option, print_json, progress

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CommandForm:
    """How a command differs from what its operation gives it.

    ``help`` stands for the operation's own line. ``arguments`` are the fields that stand without a
    name, with what help calls them. ``options`` change an option, by its field; None leaves it
    out. ``more`` add the command's own options: ``opened`` makes the parts from their values, and
    ``prepared`` changes the fields' values before they are the request. ``shown`` prints a
    response for people, ``as_json`` is what programs get, ``ended`` comes after either. With
    ``played``, that prints as the work goes on, for people or as the command's own options say.
    """

    help: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    more: tuple[Callable[[click.Command], Any], ...] = ()
    opened: Callable[[Values, bool], Services] = lambda *_: Services(Settings())
    prepared: Callable[[Values, Services], Values] = lambda values, _: values
    shown: Callable[[Any, Any, Values], None] | None = None
    as_json: Callable[[Any], Any] = lambda answer: answer
    ended: Callable[[Any], None] = lambda _: None
    played: Callable[[Services, Any, Values], None] | None = None


class OperationCommand(click.Command):
    """A command whose parameters are made when they are first needed."""

    def __init__(self, operation: Operation[Any], form: CommandForm) -> None:
        super().__init__(
            operation.name.rpartition(".")[2], callback=self._run,
            help=form.help or operation.about,
            context_settings={"allow_extra_args": bool(form.arguments)},
        )
        self._operation, self._form = operation, form

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Arguments, then the fields' options, then the command's own."""
        if not self.params:
            form, fields_by_name = self._form, dict(schemas_of(self._operation.request))
            self.params += [
                _argument(name, fields_by_name.pop(name), metavar)
                for name, metavar in form.arguments.items()
            ]
            for name, schema in fields_by_name.items():
                change = form.options.get(name, {})
                if change is not None:
                    _option(name, schema, change)(self)
            more: tuple[Callable[[Any], Any], ...] = (*form.more, json_option)
            for option in more:
                option(self)
        return super().get_params(ctx)

    def invoke(self, ctx: click.Context) -> Any:
        """What a click command returns; words too many end it with how they are one."""
        if ctx.args:
            first = ctx.params[[*self._form.arguments][-1]]
            whole = shlex.quote(" ".join((first, *ctx.args)))
            ctx.fail(f"unexpected: {' '.join(ctx.args)}. Put quotes around several words: {whole}")
        return super().invoke(ctx)

    def _run(self, as_json: bool, **values: Any) -> None:
        form, operation = self._form, self._operation
        names = {name for name in schemas_of(operation.request)
                 if form.options.get(name, {}) is not None}
        own = {name: values.pop(name) for name in values.keys() - names}
        arguments = {
            name: _cleaned(value) for name, value in values.items()
            if value is not None and value != ()
        }
        with closing(form.opened(own, as_json)) as services:
            request = read(operation.request, form.prepared(arguments, services))
            if form.played is not None and not as_json:
                form.played(services, request, own)
                return
            with progress(as_json) as report, reporting_to(report):
                answer = operation.run(services, request, True)
        if as_json or form.shown is None:
            print_json(form.as_json(answer))
        else:
            form.shown(answer, request, own)
        form.ended(answer)


def command_of(operation: Operation[Any] | str, **form: Any) -> OperationCommand:
    """The command of an operation, or of the one of a name, by the fields of its form."""
    if isinstance(operation, str):
        operation = operation_of(operation)
    return OperationCommand(operation, CommandForm(**form))


def add(group: click.Group, operation: Operation[Any] | str, name: str | None = None,
        **form: Any) -> None:
    """Add :func:`command_of` to a group, under another ``name`` where one is given."""
    group.add_command(command_of(operation, **form), name)


def _argument(name: str, schema: Mapping[str, Any], metavar: str) -> click.Argument:
    """The argument of a field; a shell completes what its schema lists, and any text is taken."""
    return click.Argument(
        [name], required=schema["required"], metavar=metavar,
        shell_complete=complete_version if name == "version" else _completing(schema),
    )


def _completing(schema: Mapping[str, Any]) -> Callable[[Any, Any, str], list[str]]:
    choices: tuple[str, ...] = tuple(schema.get("enum", ()))
    return lambda _, __, typed: [choice for choice in choices if choice.startswith(typed)]


def field_option(request: type, name: str, **change: Any) -> Callable[[Any], Any]:
    """The option of a request's field, for a command that is not made from an operation."""
    return _option(name, schemas_of(request)[name], change)


def _option(name: str, schema: Mapping[str, Any], change: Mapping[str, Any],
            ) -> Callable[[Any], Any]:
    """What adds the option of a field, as its schema and then ``change`` have it."""
    about = schema.get("description", "")
    extra: Values = {"help": about, "required": schema["required"]}
    kind = schema["type"]
    flag = f"--{name.replace('_', '-')}"
    if kind == "boolean":
        extra.update(is_flag=True, default=schema["default"])
        if schema["default"] is None:  # neither is a third choice
            flag += f"/--no-{name.replace('_', '-')}"
    elif kind == "integer":
        extra.update(type=click.IntRange(schema.get("minimum"), schema.get("maximum")), metavar="N")
    elif kind == "number":
        extra["type"] = click.FLOAT
    elif kind == "object" or "$ref" in schema.get("items", {}):
        extra.update(type=click.Path(exists=True, path_type=Path), metavar="FILE",
                    callback=lambda _, __, path: path and read_json(path),
                    help=f"A JSON file. {about}")
    elif kind == "array":
        if "enum" in schema["items"]:
            extra["type"] = click.Choice(schema["items"]["enum"])
        extra.update(multiple=True, help=f"{about.removesuffix('.')}; again for several.")
    elif "enum" in schema:
        extra.update(type=click.Choice(schema["enum"]), shell_complete=_completing(schema))
    if schema.get("default") not in (None, "", [], False) and kind != "array":
        extra.update(default=schema["default"], show_default=True)
    extra.update(change)
    return click.option(extra.pop("name", flag), name, **extra)


def read_json(path: Path) -> Any:
    """The JSON in a file; a wrong one ends the command."""
    try:
        return parse(path.read_bytes(), str(path))
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror}") from None
    except JsonError as error:
        raise click.ClickException(str(error)) from None


def _cleaned(value: Any) -> Any:
    """``value`` without what is no text in it, which could not be printed again."""
    if isinstance(value, str):
        return clean(value)
    return tuple(map(_cleaned, value)) if isinstance(value, tuple) else value
