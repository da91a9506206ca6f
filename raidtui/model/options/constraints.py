"""Options of the search for layouts: what one must do, and what is preferred."""

from __future__ import annotations

from raidtui.model.choices import LEVELS, OUTAGES, WISHES
from raidtui.model.options.option import COUNT, DECIMAL_SIZE, NUMBER, SHARE, WORD, WORDS, Option
from raidtui.model.ranges import MOST_DISKS

CONSTRAINTS = (
    Option(
        key="usable", field="constraints.usable_bytes", title=">=", kind=DECIMAL_SIZE, example="800TB",
        range=(10**6, 10**18), sentence="at least this usable capacity, as df shows it", otherwise="any",
    ),
    Option(
        key="survive", field="constraints.survive", title="survive", kind=COUNT, range=(0, MOST_DISKS), example="2",
        sentence="failed members that every array survives, whichever they are", otherwise="0",
    ),
    Option(
        key="spares", field="constraints.spares", title="spares", kind=COUNT, range=(0, MOST_DISKS), example="1",
        sentence="at least so many hot spares in all", otherwise="0",
    ),
    Option(
        key="max_width", field="constraints.max_width", title="width", kind=COUNT, range=(1, MOST_DISKS), example="16",
        sentence="at most so many members in an array", otherwise="as md allows",
    ),
    Option(
        key="survive_loss_of", field="constraints.survive_domain", title="outlive", kind=WORD, choices=OUTAGES,
        example="enclosure", sentence="data survives the loss of any one enclosure, controller or expander, as named",
        otherwise="none",
    ),
    Option(
        key="levels", field="constraints.levels", title="level", kind=WORDS, choices=LEVELS, example="raid6,raid10",
        sentence="only these levels", otherwise="every level",
    ),
    Option(
        key="max_loss", field="constraints.max_annual_loss", title="loss", kind=SHARE, example="1 in 10000",
        sentence="at most this probability of data loss a year, by disks or an enclosure", otherwise="any",
    ),
    Option(
        key="price", field="constraints.price_per_disk", title="price", kind=NUMBER, range=(0, 1e12), example="300",
        sentence="price of one disk, which adds cost to the goals", otherwise="none", in_recipes=False,
    ),
    Option(
        key="prefer", field="constraints.wishes", title="wish", kind=WORDS, choices=WISHES, example="capacity,risk",
        sentence=f"goals, the most important first, of {', '.join(WISHES)}", otherwise="none",
    ),
)  # fmt: skip
"""in the order of Compare's line; titles are its words"""
