"""How every value is read back from a file: unknown keys are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

T = TypeVar("T", bound="TextValue")
STRICT: dict[str, Any] = {"extra": "forbid"}
"""what pydantic's `TypeAdapter` honours on a standard dataclass, said without importing pydantic"""


class Value:
    """Base of the dataclasses that files hold."""

    __slots__ = ()
    __pydantic_config__ = STRICT


class TextValue:
    """Base of the values that are one text in files: `read` parses the text, `str` returns it."""

    __slots__ = ()

    @classmethod
    def read(cls: type[T], text: str) -> T:
        """The value of this text. Raises ValueError with the reason for a text that is none."""
        raise NotImplementedError

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> Any:
        """Read from its text. Called by pydantic, which start-up does not load."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls.read, core_schema.str_schema())


class FormValue:
    """Base of the values that files hold in another form: `form` is it, `read` makes the value of it."""

    __slots__ = ()
    FORM: ClassVar[Any]
    """type of the form"""

    @property
    def form(self) -> object:
        """What a file holds for the value."""
        raise NotImplementedError

    @classmethod
    def read(cls, form: Any) -> Any:
        """The value of this form. Raises ValueError with the reason for a form that is none."""
        raise NotImplementedError

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> Any:
        """Read from its form. Called by pydantic, which start-up does not load."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls.read, handler.generate_schema(cls.FORM))
