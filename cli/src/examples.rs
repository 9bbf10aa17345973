//! The examples in the help of each command.

pub(crate) const MILLICRON: &str = "\
Examples:
  millicron explain '0 9 * * MON-FRI'
  millicron next '*.*.L 17:00:00' -n 12 --zone Europe/Berlin
  millicron check jobs.toml

Exit status:
  0  success
  1  `matches`: the time is no event; `check`: something was found
  2  wrong command line, schedule or file";

pub(crate) const EXPLAIN: &str = "\
Examples:
  millicron explain '0 9 * * MON-FRI'
  millicron explain '30 2 * * *' --zone Europe/Berlin
  millicron explain 'Mon..Fri 09:30 America/New_York' --json";

pub(crate) const NEXT: &str = "\
Examples:
  millicron next '0 9 * * MON-FRI'
  millicron next '*.*.L 17:00:00' -n 12 --from 2026-01-01
  millicron next '0 9 * * MON-FRI' -n 10 --zone Europe/Berlin --from 'tomorrow 8:00'
  millicron next '*:*:*.*/250' -n 8 --format %s";

pub(crate) const PREV: &str = "\
Examples:
  millicron prev '@daily' -n 1
  millicron prev '30 2 * * *' --zone Europe/Berlin --from 2026-10-26 -n 3";

pub(crate) const BETWEEN: &str = "\
Examples:
  millicron between '*/15 9-17 * * *' today tomorrow
  millicron between '30 2 * * *' 2026-10-24 2026-10-27 --zone Europe/Berlin";

pub(crate) const COUNT: &str = "\
Examples:
  millicron count '*:*:*/5' 2026-01-01 2027-01-01
  millicron count '*/5 * * * *' now 'in 1 week'";

pub(crate) const MATCHES: &str = "\
Examples:
  millicron matches '0 9 * * MON-FRI' '2026-03-30 9:00' --zone Europe/Berlin
  millicron matches '*/5 * * * *' --within 1m --quiet";

pub(crate) const CONVERT: &str = "\
Examples:
  millicron convert '0 9 * * MON-FRI' --to quartz
  millicron convert '*.*.L 17:00:00'
  millicron convert 'CRON_TZ=Asia/Tokyo 30 9 * * *' --to systemd";

pub(crate) const WATCH: &str = "\
Examples:
  millicron watch '*/5 * * * *'
  millicron watch '*:*:*/10' -n 3 --json";

pub(crate) const CHECK: &str = "\
Examples:
  millicron check /etc/crontab
  millicron check jobs.toml --format github";

pub(crate) const CALENDAR: &str = "\
Examples:
  millicron calendar '0 9 * * MON-FRI' --year 2026";

pub(crate) const DAY: &str = "\
Examples:
  millicron day '*/15 9-17 * * *'";

pub(crate) const ZONE: &str = "\
Examples:
  millicron zone Europe/Berlin '30 2 * * *'";

pub(crate) const TIMELINE: &str = "\
Examples:
  millicron timeline jobs.toml";

pub(crate) const GRAPH: &str = "\
Examples:
  millicron graph pipeline.toml";

pub(crate) const SIMULATE: &str = "\
Examples:
  millicron simulate jobs.toml --days 365";

pub(crate) const RUN: &str = "\
Examples:
  millicron run crontab
  millicron run jobs.toml --metrics 127.0.0.1:9090";

pub(crate) const SCHEMA: &str = "\
Examples:
  millicron schema > jobs.schema.json";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  millicron completions bash > ~/.local/share/bash-completion/completions/millicron
  millicron completions zsh > ~/.zfunc/_millicron
  millicron completions fish > ~/.config/fish/completions/millicron.fish
  millicron completions powershell >> $PROFILE";

pub(crate) const MAN: &str = "\
Examples:
  millicron man | man -l -
  millicron man next | man -l -
  millicron man --directory ~/.local/share/man/man1";
