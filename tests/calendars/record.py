"""Writes the days of calendars, and how QuantLib moves days, into the directory of the first argument.

Compares the days with the texts in `examples/calendars`, and fails if they differ in other days than
`recorded/differences.txt` lists. `scripts/record-calendars` runs this with the packages that it needs.
"""

import random
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

import exchange_calendars
import holidays
import QuantLib

import days

HERE = Path(__file__).parent
TEXTS = HERE.parent.parent / "examples" / "calendars"
YEARS = range(2000, 2051)

# The names of QuantLib's conventions, in the order in which they are recorded.
CONVENTIONS = ["Following", "ModifiedFollowing", "Preceding", "ModifiedPreceding"]


def main():
    output = Path(sys.argv[1])
    calendars = {path.stem: days.read(TEXTS, path.stem) for path in sorted(TEXTS.glob("*.days"))}
    if not calendars["nyse-half"] <= calendars["nyse"]:
        raise SystemExit("nyse-half.days has days that nyse.days does not have")

    differences = set()
    for name, (source, recorded) in sources().items():
        in_range = {day for day in calendars[name] if day.year in YEARS}
        differences |= {(name, str(day)) for day in in_range ^ recorded}
        write(output / f"{name}.txt", source, DAYS_FORMAT, (year_line(year, name, recorded) for year in YEARS))
    lines = moved_lines(calendars)
    write(output / "quantlib.txt", f"QuantLib {version('QuantLib')}", MOVED_FORMAT, lines)

    known = (HERE / "recorded" / "differences.txt").read_text(encoding="utf-8").split("\n")
    known = {tuple(line.split(" ")[:2]) for line in known if line and not line.startswith("#")}
    for name, day in sorted(differences - known):
        print(f"not in differences.txt: {name} {day}", file=sys.stderr)
    for name, day in sorted(known - differences):
        print(f"no difference: {name} {day}", file=sys.stderr)
    if differences != known:
        raise SystemExit(1)


def write(path, source, form, lines):
    header = "".join(f"# {line}\n" for line in [source, *form])
    path.write_text(header + "".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


DAYS_FORMAT = [
    "A year, its ordinary days (Mon-Fri, or none if left out), and then the other days that are (+MM-DD) or are not",
    "(-MM-DD) in the calendar.",
]


def sources():
    """Returns the source and its days of each calendar."""
    exchanges = f"exchange_calendars {version('exchange_calendars')}"
    public = f"holidays {version('holidays')}"
    start, end = date(YEARS[0], 1, 1), date(YEARS[-1], 12, 31)

    def exchange(name):
        return exchange_calendars.get_calendar(name, start=str(start), end=str(end))

    def business_days(closed):
        return {day for day in days.ALL if start <= day <= end and day.weekday() < 5 and day not in closed}

    def sessions(index):
        return {day.date() for day in index}

    federal = holidays.UnitedStates(years=YEARS, categories="government")
    return {
        "germany": (f"{public}, Germany", business_days(holidays.Germany(years=YEARS))),
        "japan": (f"{public}, Japan", business_days(holidays.Japan(years=YEARS))),
        "lse": (f"{exchanges}, the sessions of XLON", sessions(exchange("XLON").sessions)),
        "nyse": (f"{exchanges}, the sessions of XNYS", sessions(exchange("XNYS").sessions)),
        "nyse-half": (f"{exchanges}, the early closes of XNYS", sessions(exchange("XNYS").early_closes)),
        "target2": (f"{public}, EuropeanCentralBank", business_days(holidays.EuropeanCentralBank(years=YEARS))),
        "us-federal": (f"{public}, UnitedStates, category government", business_days(federal)),
    }


def year_line(year, name, recorded):
    ordinary = set() if name == "nyse-half" else {day for day in days.ALL if day.weekday() < 5}
    tokens = [str(year)] + ["Mon-Fri"] * bool(ordinary)
    for day in sorted(ordinary ^ recorded):
        if day.year == year:
            tokens.append(f"{'+' if day in recorded else '-'}{day:%m-%d}")
    return " ".join(tokens)


MOVED_FORMAT = [
    "A calendar of examples/calendars, a day, and the days from it to where these conventions move it:",
    f"{', '.join(CONVENTIONS)}.",
    "Then a number of business days, and the days to where that number moves these four results.",
]


def moved_lines(calendars):
    """Yields cases of how QuantLib moves days by the calendars, which it gets as they are in their texts."""
    for name in ["nyse", "target2"]:
        calendar = QuantLib.BespokeCalendar(name)
        calendar.addWeekend(QuantLib.Saturday)
        calendar.addWeekend(QuantLib.Sunday)
        for day in days.ALL:
            if day not in calendars[name]:
                if day.weekday() < 5:
                    calendar.addHoliday(QuantLib.Date.from_date(day))
            elif day.weekday() >= 5:
                raise SystemExit(f"{name}.days has a day on a weekend: {day}")
        # No day is moved out of the years of the calendars.
        generator = random.Random(2000)
        start, end = date(2000, 7, 1).toordinal(), date(2100, 6, 30).toordinal()
        for ordinal in sorted(generator.choices(range(start, end + 1), k=2000)):
            day = QuantLib.Date.from_date(date.fromordinal(ordinal))
            count = generator.choice([n for n in range(-99, 100) if n != 0])
            moved = [calendar.adjust(day, getattr(QuantLib, convention)) for convention in CONVENTIONS]
            advanced = [calendar.advance(it, count, QuantLib.Days) for it in moved]
            distances = [[it - day for it in moved], [count], [it - day for it in advanced]]
            yield " ".join([name, day.ISO(), *(str(number) for part in distances for number in part)])


main()
