"use strict";

// The browser's time zones, for the module.
const browserZones = {
  formats: new Map(),
  format(name) {
    if (!this.formats.has(name)) {
      const options = { timeZone: name, timeZoneName: "longOffset" };
      this.formats.set(name, new Intl.DateTimeFormat("en-US", options));
    }
    return this.formats.get(name);
  },
  // Parses texts such as `3/29/2026, GMT+05:45`; UTC is just `GMT`.
  offsetAt(name, instant) {
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d+):(\d+))?/.exec(this.format(name).format(instant));
    const offset = sign ? (hours * 60 + +minutes) * 60_000 : 0;
    return sign === "-" ? -offset : offset;
  },
  has(name) {
    // Browsers accept offsets as well, which are not names.
    if (!/^[a-z]/i.test(name)) return false;
    try {
      return Boolean(this.format(name));
    } catch {
      return false;
    }
  },
  names: () => ["UTC", ...Intl.supportedValuesOf("timeZone").filter(name => name !== "UTC")],
};

{
  // The text, the name and, if the text names one, the calendars.
  const EXAMPLES = [
    ["0 9 * * MON-FRI", "Weekdays at nine"],
    ["*/15 9-17 * * 1-5", "Every quarter of an hour"],
    ["*.*.* 02:30:00", "At night, when clocks change"],
    ["*.*.LW 17:00:00", "Last working day"],
    ["*.*.* Mon-Fri 09:30:00..16:00:00/15m", "A window of the day"],
    ["*.*.* 09:30:00 @office", "With a calendar",
      "[office]\n*.*.* Mon-Fri\n- *.1.1\n- *.Easter-2   # Good Friday\n- *.12.25,26\n"],
    ["*.*.* Mon-Thu 17:00:00; *.*.* Fri 15:00:00", "Earlier on Fridays"],
    ["Mon..Fri *-*-* 09:30 Europe/Berlin", "A systemd timer"],
    ["0 0 12 ? * FRI#2", "Quartz: second Friday"],
    ["*:*:*.0,500", "Twice a second"],
    ["0 30 9 * * 1-5", "Means two things"],
    ["0 25 * * *", "An error"],
  ];
  const LANGUAGES = [
    ["millicron", "millicron"], ["crontab", "crontab"], ["quartz", "Quartz"], ["cron_crate", "cron crate"],
    ["systemd", "systemd"],
  ];

  const find = id => document.getElementById(id);
  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children.filter(child => child !== null));
    return made;
  };
  // Renders text in backticks as code.
  const prose = words => words.split("`").map((part, index) => index % 2 ? element("code", {}, part) : part);
  const [text, calendars, language, zone, year, message] =
    ["text", "calendars", "language", "zone", "year", "message"].map(find);
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

  // What was typed and chosen, as the address contains it. Values that were not chosen are empty.
  const read = () => {
    const values = new URLSearchParams(location.hash.slice(1));
    const value = key => values.get(key) ?? "";
    const typed = values.has("text") ? value("text") : EXAMPLES[0][0];
    return {
      // With the line breaks of a text area.
      text: typed, calendars: value("calendars").replace(/\r\n?/g, "\n"),
      language: value("language"), zone: value("zone"), year: value("year"),
    };
  };
  let state = read();
  // Whether typing replaces the last history entry, so that "back" does not step through each character.
  let isTyping = false;

  // The timer of a change of the address that the browser has refused.
  let saving;
  const save = replaces => {
    clearTimeout(saving);
    const values = new URLSearchParams({ text: state.text });
    for (const key of ["calendars", "language", "zone", "year"]) {
      if (state[key]) values.set(key, state[key]);
    }
    try {
      history[replaces ? "replaceState" : "pushState"](null, "", `#${values}`);
    } catch {
      // Browsers limit how often this is possible, such as Safari to 100 times in 30 seconds.
      saving = setTimeout(save, 1000, replaces);
    }
  };

  const change = (changes, typing = false) => {
    Object.assign(state, changes);
    save(typing && isTyping);
    isTyping = typing;
    fill();
    show();
  };

  // Fills the form from the state.
  const fill = () => {
    if (text.value !== state.text) text.value = state.text;
    // Not while it is typed, so it stays as open as its writer left it.
    if (calendars.value !== state.calendars) {
      calendars.value = state.calendars;
      calendars.closest("details").open = state.calendars;
    }
    if (!LANGUAGES.some(([keyword]) => keyword === state.language)) state.language = "";
    language.value = state.language;
    if (!browserZones.has(state.zone)) state.zone = "";
    const shown = state.zone || ownZone;
    if (![...zone.options].some(option => option.value === shown)) {
      zone.append(new Option(shown));
    }
    zone.value = shown;
    if (!(state.year >= 2000 && state.year <= 2100)) state.year = "";
  };

  const time = ({ instant, weekday, local, offset }) =>
    element("time", { dateTime: new Date(instant).toISOString() }, `${weekday} ${local}`, " ",
      element("span", { className: "faint" }, offset));

  // Marks the problem in the field that has it.
  const showProblem = problem => {
    for (const field of [text, calendars]) {
      const own = problem && problem.in_calendars === (field === calendars) ? problem : null;
      const [before, marked] = field.nextElementSibling.firstElementChild.children;
      field.ariaInvalid = Boolean(own);
      marked.hidden = !own;
      before.textContent = own && state[field.id].slice(0, own.start);
      marked.textContent = own && state[field.id].slice(own.start, own.end);
      scroll(field);
    }
    message.className = problem ? "wrong" : "";
  };

  // Keeps the marks under their characters while a long text is scrolled.
  const scroll = field => {
    field.nextElementSibling.firstElementChild.style.translate = `${-field.scrollLeft}px ${-field.scrollTop}px`;
  };

  // Shows the languages that read the text, or the schedules that it may mean as a phrase.
  const showChoices = (choices, offers, problem) => {
    const choice = (title, description, field, changes) => {
      const onclick = () => {
        change(changes);
        field.focus();
      };
      return element("button", { type: "button", onclick }, element("strong", {}, title), description);
    };
    find("choices").hidden = choices.length + offers.length === 0;
    find("choices").replaceChildren(
      ...choices.map(({ keyword, name, description }) => choice(name, description, language, { language: keyword })),
      ...offers.map(offer => choice(element("code", {}, offer.text), offer.description, text, { text: offer.text })));
    if (choices.length && !problem) say("This text means different things. Which language is it?");
  };

  const showEvents = ({ events }) => {
    if (!events.length) return find("events").replaceChildren(element("p", {}, "There are no more events."));
    const row = event => element("tr", {}, element("td", {}, time(event)),
      element("td", { className: "faint" }, `in ${event.distance}`));
    const head = element("tr", {}, element("th", { scope: "col" }, zone.value), element("th", { scope: "col" }, "From now"));
    find("events").replaceChildren(
      element("table", {}, element("thead", {}, head), element("tbody", {}, ...events.map(row))));
  };

  const showChanges = explanation => {
    const shown = explanation.zone ?? zone.value;
    const [without, affecting] = [true, false].map(
      isFree => explanation.changes.filter(({ affected }) => affected.length === 0 === isFree));
    const parts = affecting.flatMap(({ clocks, affected }) => [
      element("h3", {}, clocks), element("ul", {}, ...affected.map(it => element("li", {}, `${it}.`))),
    ]);
    if (without.length) {
      const dates = without.map(({ clocks }) => clocks.split(":")[0]).join(", ");
      parts.push(element("p", {}, `No event is affected when the clocks of ${shown} change on ${dates}.`));
    }
    const none = element("p", {}, `The clocks of ${shown} do not change within two years.`);
    find("changes").replaceChildren(...(parts.length ? parts : [none]));
  };

  let shownYear;
  const showYear = explanation => {
    year.value = shownYear = explanation.year;
    // Disabling a button would make it lose the focus.
    find("before").ariaDisabled = explanation.year <= 2000;
    find("after").ariaDisabled = explanation.year >= 2100;
    find("calendar").innerHTML = explanation.calendar;
    find("months").replaceChildren(...explanation.months.map(({ days, events }, index) => {
      const name = new Date(Date.UTC(2000, index)).toLocaleString("en", { month: "long", timeZone: "UTC" });
      return element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, days),
        element("td", {}, events.toLocaleString("en")));
    }));
  };

  const copy = async (button, name, copied) => {
    let [shown, said] = ["Copied", `Copied: ${copied}`];
    try {
      await navigator.clipboard.writeText(copied);
    } catch {
      [shown, said] = ["Not copied", "The browser does not allow copying. Select the text instead."];
    }
    button.textContent = shown;
    find("copied").textContent = said;
    setTimeout(() => { button.textContent = name; }, 1500);
  };

  const showWritings = explanation => {
    const row = writing => {
      if (writing.missing) return element("dd", { className: "missing" }, ...prose(`Not possible: ${writing.missing}.`));
      return element("dd", {}, element("code", {}, writing.text));
    };
    find("writings").replaceChildren(...explanation.writings.map(writing => {
      const line = element("div", {}, element("dt", {}, writing.language), row(writing));
      if (writing.text) {
        const onclick = ({ currentTarget }) => copy(currentTarget, "Copy", writing.text);
        const ariaLabel = `Copy for ${writing.language}`;
        line.append(element("dd", {}, element("button", { type: "button", ariaLabel, onclick }, "Copy")));
      }
      return line;
    }));
  };

  // Screen readers announce the message whenever it is written, so only write it if it has changed.
  const say = (...parts) => {
    const said = element("div", {}, ...parts);
    if (message.innerHTML !== said.innerHTML) message.replaceChildren(...said.childNodes);
  };

  const ask = () => {
    const width = Math.max(300, document.querySelector("main").clientWidth - 2);
    return JSON.parse(wasm_bindgen.answer(
      state.text, state.calendars, state.language, zone.value, Date.now(), +state.year, width));
  };

  // Updates what depends on the present, where nothing has the focus.
  const showLater = () => {
    if (document.hidden || !state.text.trim()) return;
    const { explanation } = ask();
    if (!explanation) return;
    showEvents(explanation);
    showChanges(explanation);
    if (!state.year && explanation.year !== shownYear) showYear(explanation);
  };

  const show = () => {
    const typed = state.text.trim();
    document.title = `${typed && `${typed} · `}millicron playground`;
    if (!typed) {
      showProblem(null);
      showChoices([], [], null);
      say("Type a schedule, or choose an example.");
      find("explanation").hidden = true;
      return;
    }
    const { problem, choices, offers, explanation } = ask();
    showProblem(problem);
    if (problem) {
      const hint = problem.hint && element("p", {}, ...prose(problem.hint));
      say(element("p", {}, ...prose(problem.message)), hint);
    }
    showChoices(choices, offers, problem);
    find("explanation").hidden = !explanation;
    if (!explanation) return;
    say(element("p", {}, ...prose(explanation.description)),
      element("p", {}, `Read as ${explanation.language}. ${explanation.clocks}`));
    showEvents(explanation);
    showChanges(explanation);
    showYear(explanation);
    showWritings(explanation);
  };

  const listZones = () => {
    const groups = new Map();
    for (const name of browserZones.names()) {
      const region = name.includes("/") ? name.split("/")[0] : "Universal";
      if (!groups.has(region)) groups.set(region, element("optgroup", { label: region }));
      groups.get(region).append(new Option(name));
    }
    zone.append(...groups.values());
  };

  const listen = () => {
    find("form").addEventListener("submit", event => event.preventDefault());
    for (const field of [text, calendars]) {
      field.addEventListener("input", () => change({ [field.id]: field.value }, true));
      field.addEventListener("change", () => { isTyping = false; });
      for (const event of ["scroll", "keyup", "click"]) field.addEventListener(event, () => scroll(field));
    }
    language.addEventListener("change", () => change({ language: language.value }));
    zone.addEventListener("change", () => change({ zone: zone.value }));
    year.addEventListener("change", () => change({ year: year.value }));
    for (const [id, years] of [["before", -1], ["after", 1]]) {
      find(id).addEventListener("click", ({ currentTarget }) => {
        if (currentTarget.ariaDisabled === "false") change({ year: `${+year.value + years}` });
      });
    }
    find("link").addEventListener("click", event => {
      save(true);
      copy(event.currentTarget, "Copy link", location.href);
    });
    addEventListener("popstate", () => {
      clearTimeout(saving);
      isTyping = false;
      state = read();
      fill();
      show();
    });
    let width = innerWidth;
    addEventListener("resize", () => {
      if (width !== innerWidth) show();
      width = innerWidth;
    });
    setInterval(showLater, 30_000);
    document.addEventListener("visibilitychange", showLater);
  };

  // Each five characters are four bytes: the digits of a number in base 85, from `#` on, without `<` and `\`.
  const unpack = (packed, length) => {
    const bytes = new DataView(new ArrayBuffer(packed.length / 5 * 4));
    for (let place = 0; place < packed.length; place += 5) {
      let number = 0;
      for (const character of packed.slice(place, place + 5)) {
        const code = character.charCodeAt(0);
        number = number * 85 + code - 35 - (code > 60) - (code > 92);
      }
      bytes.setUint32(place / 5 * 4, number);
    }
    const stream = new Blob([bytes.buffer.slice(0, length)]).stream();
    return new Response(stream.pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();
  };

  const start = async () => {
    language.append(...LANGUAGES.map(([value, name]) => new Option(name, value)));
    find("examples").querySelector("ul").append(...EXAMPLES.map(([example, name, named]) => {
      const onclick = () => change({ text: example, language: "", calendars: named ?? state.calendars });
      return element("li", {}, element("button", { type: "button", title: example, onclick }, name));
    }));
    listZones();
    await wasm_bindgen({ module_or_path: await unpack("MODULE", LENGTH) });
    listen();
    fill();
    show();
  };
  start().catch(error => { message.textContent = `The playground failed to start: ${error}`; });
}
