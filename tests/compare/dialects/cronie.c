/*
 * Records how cronie interprets crontab expressions: reads one expression per line, and writes it
 * with its events, in the format of README.md.
 *
 * The parser is cronie's own `entry.c`, compiled with this file. Functions that it calls, but that
 * this program does not need, are replaced below. The condition that joins the fields is copied
 * from `cron.c`, where it cannot be called separately.
 *
 * Usage: cronie START...
 */
#define MAIN_PROGRAM

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "bitstring.h"
#include "funcs.h"
#include "globals.h"
#include "macros.h"

enum { EVENTS = 3, CHAIN = 1000, LINE = 1 << 16 };

int get_char(FILE *file) { return getc(file); }

void unget_char(int ch, FILE *file) { ungetc(ch, file); }

int get_string(char *string, int size, FILE *file, const char *ends) {
	int length = 0;
	for (;;) {
		int ch = getc(file);
		if (ch == EOF || strchr(ends, ch)) {
			string[length] = '\0';
			return ch;
		}
		if (length < size - 1)
			string[length++] = (char)ch;
	}
}

struct passwd *pw_dup(const struct passwd *pw) {
	struct passwd *copy = malloc(sizeof(*copy));
	*copy = *pw;
	copy->pw_passwd = calloc(1, 1);
	return copy;
}

static char *no_environment[] = {NULL};
char **env_copy(char **envp) { return envp; }
char **env_set(char **envp, const char *text) { (void)text; return envp; }
char **env_update_home(char **envp, const char *dir) { (void)dir; return envp; }
char *env_get(const char *name, char **envp) { (void)name; (void)envp; return NULL; }
void env_free(char **envp) { (void)envp; }
void log_it(const char *a, pid_t b, const char *c, const char *d, int e) {
	(void)a; (void)b; (void)c; (void)d; (void)e;
}
int glue_strings(char *buffer, size_t size, const char *a, const char *b, char separator) {
	return snprintf(buffer, size, "%s%c%s", a, separator, b) < (int)size;
}

static entry *parse(const char *expression) {
	static struct passwd user = {.pw_name = "nobody", .pw_passwd = "", .pw_dir = "/"};
	char line[LINE + 8];
	/* cronie's file reader skips leading blanks. */
	snprintf(line, sizeof(line), "%s true\n", expression + strspn(expression, " \t"));
	FILE *file = fmemopen(line, strlen(line), "r");
	entry *parsed = load_entry(file, NULL, &user, no_environment);
	fclose(file);
	/* With a sixth field, the command begins with that field, as in "* true". */
	if (parsed && strcmp(parsed->cmd, "true") != 0)
		return NULL;
	return parsed;
}

/* Whether a time is an event, as in `find_jobs` of cron.c. */
static int on_day(const entry *e, const struct tm *tm) {
	int dow = bit_test(e->dow, tm->tm_wday) != 0;
	int dom = bit_test(e->dom, tm->tm_mday - FIRST_DOM) != 0;
	int joined = (e->flags & DOM_STAR) || (e->flags & DOW_STAR) ? dow && dom : dow || dom;
	return joined && bit_test(e->month, tm->tm_mon + 1 - FIRST_MONTH);
}

static const time_t START = 946684799; /* the second before 2000 */
static const time_t END = 4133980800; /* 2101-01-01 */

/* The first event after a time, or END. */
static time_t next(const entry *e, time_t after) {
	time_t time = after - after % 60 + 60;
	while (time < END) {
		struct tm tm;
		gmtime_r(&time, &tm);
		if (!on_day(e, &tm))
			time += 86400 - time % 86400;
		else if (!bit_test(e->hour, tm.tm_hour))
			time += 3600 - time % 3600;
		else if (!bit_test(e->minute, tm.tm_min))
			time += 60;
		else
			return time;
	}
	return END;
}

static void print_time(time_t time) {
	char text[32];
	struct tm tm;
	gmtime_r(&time, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	fputs(text, stdout);
}

static void print_events(const entry *e, int starts, char **texts) {
	time_t from = 0;
	for (int i = 0; i < starts; i++) {
		struct tm tm = {0};
		strptime(texts[i], "%Y-%m-%dT%H:%M:%S", &tm);
		time_t time = timegm(&tm);
		if (i == 0)
			from = time;
		putchar('\t');
		for (int event = 0; event < EVENTS && time < END; event++) {
			time = next(e, time);
			if (event > 0 && time < END)
				putchar(',');
			if (time < END)
				print_time(time);
			else if (event == 0)
				putchar('-');
		}
	}
	/* The checksum of a chain of events. */
	long checksum = 0;
	int count = 0;
	for (time_t time = next(e, from); count < CHAIN && time < END; time = next(e, time), count++) {
		struct tm tm;
		gmtime_r(&time, &tm);
		long date = (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
		checksum = (checksum * 31 + date) % 2147483647;
		long clock = tm.tm_hour * 10000 + tm.tm_min * 100 + tm.tm_sec;
		checksum = (checksum * 31 + clock) % 2147483647;
	}
	printf("\t%d:%ld\n", count, checksum);
}

int main(int count, char **arguments) {
	static char line[LINE];
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		fputs(line, stdout);
		entry *parsed = parse(line);
		if (!parsed)
			puts("\trefused");
		else if (strchr(line, '~'))
			puts("\trandom");
		else if (next(parsed, START) == END)
			puts("\tnever");
		else
			print_events(parsed, count - 1, arguments + 1);
	}
	return 0;
}
