"""Reads calendars as text (`examples/calendars/*.days`) into sets of days, simply by walking over all days.

It shares no code with the crate, so that each can be compared with the other.
"""

import re
from datetime import date, timedelta
from pathlib import Path

DAY = timedelta(days=1)
FIRST, LAST = date(2000, 1, 1), date(2100, 12, 31)
ALL = [FIRST + i * DAY for i in range((LAST - FIRST).days + 1)]
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
ISO = r"\d{4}-\d{2}-\d{2}"


def read(directory, name, readers=()):
    """Reads the calendar `name` from its file, and those that it names from the same directory."""
    if name in readers:
        raise ValueError(f"{name} names itself")
    path = Path(directory, f"{name}.days")
    days = None
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        line = re.sub(r"(^|[ \t])#.*", "", line).strip(" \t\r")
        if not line:
            continue
        sign, line = re.fullmatch(r"([+-]?)[ \t]*(.*)", line).groups()
        adds = sign != "-"
        try:
            step = parse_line(line, lambda other: read(directory, other, (*readers, name)))
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}: {line}") from error
        if not step:
            raise ValueError(f"{path}:{number}: no such day: {line}")
        if days is None:
            days = set() if adds else set(ALL)
        days = days | step if adds else days - step
    if not days:
        raise ValueError(f"{path}: no days")
    return days


def parse_line(text, read_other):
    """Returns the days of a line, without its sign."""
    if text.startswith("@"):
        if not NAME.fullmatch(text[1:]):
            raise ValueError("not a name")
        return read_other(text[1:])
    if match := re.fullmatch(rf"({ISO})(?:(\.\.=?)({ISO}))?", text):
        start, dots, end = match.groups()
        start, end = date.fromisoformat(start), date.fromisoformat(end or start)
        if dots == "..":
            end -= DAY
        if not FIRST <= start <= end <= LAST:
            raise ValueError("not a range of days")
        return {start + i * DAY for i in range((end - start).days + 1)}
    if match := re.fullmatch(r"([^. \t]+)\.Easter(?:([+-])([1-9]\d?))?", text):
        years, sign, distance = match.groups()
        distance = int(f"{sign or ''}{distance or 0}") * DAY
        return {easter(year) + distance for year in parse_field(years, 2000, 2100)}
    match = re.fullmatch(r"([^. \t/]+)\.([^. \t/]+)\.([^. \t/]+)/(\d+)([dw])(?:[ \t]+([^ \t|]+))?", text)
    if match and "*" not in text:
        year, month, day, step, unit, weekdays = match.groups()
        start, step = date(int(year), int(month), int(day)), int(step) * (7 if unit == "w" else 1)
        if step == 0 or (weekdays and unit == "d"):
            raise ValueError("not a period")
        from_start = [start + i * DAY for i in range((LAST - start).days + 1)]
        if weekdays is None:
            return set(from_start[::step])
        weekday = parse_weekdays(weekdays)
        return {day for i, day in enumerate(from_start) if i % step < 7 and weekday(day)}
    match = re.fullmatch(r"([^. \t]+)\.([^. \t]+)\.([^. \t|]+)(?:([ \t]*\|[ \t]*|[ \t]+)([^ \t|]+))?", text)
    if not match:
        raise ValueError("neither a date nor a name")
    years, months, days, operator, weekdays = match.groups()
    year, month = parse_field(years, 2000, 2100), parse_field(months, 1, 12, MONTHS)
    day, weekday = parse_days(days), parse_weekdays(weekdays or "*")
    both = any if operator and "|" in operator else all
    return {it for it in ALL if it.year in year and it.month in month and both((day(it), weekday(it)))}


def items(text):
    """Returns the items of a field."""
    if text != "*" and "*" in text.split(","):
        raise ValueError("`*` among others")
    return text.split(",")


def parse_field(text, low, high, names=()):
    """Returns the values of a field of numbers or names, such as `1,5-9/2`."""
    values = set()
    for item in items(text):
        match = re.fullmatch(r"(?:(\*)|(\w+)(?:-(\w+))?)(?:/(\d+))?", item, re.ASCII)
        if not match:
            raise ValueError(f"not an item: {item}")
        star, start, end, step = match.groups()
        if star:
            start, end = low, high
        elif step and end is None:
            raise ValueError(f"a step without a range: {item}")
        else:
            start = parse_value(start, low, high, names)
            end = start if end is None else parse_value(end, low, high, names)
        step = 1 if step is None else int(step)
        if start > end or step == 0:
            raise ValueError(f"not a range: {item}")
        values |= set(range(start, end + 1, step))
    return values


def parse_value(text, low, high, names):
    if text.lower() in names:
        return low + names.index(text.lower())
    if not re.fullmatch("[0-9]+", text) or not low <= int(text) <= high:
        raise ValueError(f"out of range: {text}")
    return int(text)


def parse_days(text):
    """Returns a test of days for the field of days, such as `1,15W,L-2`."""
    tests = [parse_day(item) for item in items(text)]
    return lambda day: any(test(day) for test in tests)


def parse_day(item):
    if match := re.fullmatch(r"32|L(?:-([1-9]|[12]\d|30))?(W?)", item):
        before = int(match[1] or 0)
        return lambda day: is_day(day, length(day) - before, match[2])
    if match := re.fullmatch(r"(\d+)W", item):
        number = parse_value(match[1], 1, 31, ())
        return lambda day: is_day(day, number, "W")
    # A range may end with the last day of the month.
    values = parse_field(re.sub(r"^(\d+)-(?:L|32)(?=/|$)", r"\1-31", item), 1, 31)
    return lambda day: day.day in values


def is_day(day, number, nearest):
    """Whether the day is this one of its month, or, with `W`, the day from Monday to Friday nearest to it."""
    if not 1 <= number <= length(day):
        return False
    target = day.replace(day=number)
    if nearest and target.weekday() == 5:
        target += -DAY if number > 1 else 2 * DAY
    elif nearest and target.weekday() == 6:
        target += DAY if number < length(day) else -2 * DAY
    return day == target


def length(day):
    """Returns the length of the day's month."""
    return ((day.replace(day=28) + 4 * DAY).replace(day=1) - DAY).day


def parse_weekdays(text):
    """Returns a test of days for the field of weekdays, such as `Mon-Fri` or `Fri#2`."""
    tests = []
    for item in items(text):
        if match := re.fullmatch(r"(\w+)#([1-5]|L)", item):
            weekday = parse_value(match[1], 0, 6, WEEKDAYS)
            tests.append(lambda day, weekday=weekday, which=match[2]: is_nth(day, weekday, which))
        else:
            values = parse_field(item, 0, 6, WEEKDAYS)
            tests.append(lambda day, values=values: day.isoweekday() % 7 in values)
    return lambda day: any(test(day) for test in tests)


def is_nth(day, weekday, which):
    if day.isoweekday() % 7 != weekday:
        return False
    return day.day + 7 > length(day) if which == "L" else (day.day + 6) // 7 == int(which)


def easter(year):
    """Returns Western Easter Sunday, by the method of Meeus, Jones and Butcher."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    h = (19 * a + b - d - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    month, day = divmod(h + l - 7 * ((a + 11 * h + 22 * l) // 451) + 114, 31)
    return date(year, month, day + 1)
