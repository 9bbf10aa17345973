// Records how Quartz interprets expressions: reads one expression per line, and writes it with its
// events, in the format of README.md.
//
// Usage: java -cp quartz2.jar:slf4j-api.jar Quartz.java START...

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.SimpleTimeZone;
import org.quartz.CronExpression;

public class Quartz {
    static final int EVENTS = 3;
    static final int CHAIN = 1000;
    static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss");

    static final Date START = Date.from(instant("1999-12-31T23:59:59"));
    // Quartz gives up a hundred years from now, so nothing after this is recorded.
    static final Date END = Date.from(instant("2100-01-01T00:00:00"));

    // Some expressions make Quartz search forever. Each step of a search queries the zone's offset.
    static final class CountingZone extends SimpleTimeZone {
        static final int LIMIT = 1_000_000;
        int steps = 0;

        CountingZone() {
            super(0, "UTC");
        }

        @Override
        public int getOffset(long date) {
            steps++;
            if (steps > LIMIT) {
                throw new Endless();
            }
            return 0;
        }
    }

    static final class Endless extends RuntimeException {}

    static Instant instant(String text) {
        return LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
    }

    static Date next(CronExpression expression, Date after) {
        expression.setTimeZone(new CountingZone());
        Date next = expression.getNextValidTimeAfter(after);
        return next == null || !next.before(END) ? null : next;
    }

    static String format(Date date) {
        return FORMAT.format(date.toInstant().atOffset(ZoneOffset.UTC));
    }

    static String record(CronExpression expression, List<Date> starts) {
        if (next(expression, START) == null) {
            return "\tnever";
        }
        StringBuilder line = new StringBuilder();
        for (Date start : starts) {
            List<String> events = new ArrayList<>();
            Date event = next(expression, start);
            for (; event != null && events.size() < EVENTS; event = next(expression, event)) {
                events.add(format(event));
            }
            line.append('\t').append(events.isEmpty() ? "-" : String.join(",", events));
        }
        // The checksum of a chain of events.
        long checksum = 0;
        int count = 0;
        Date event = next(expression, starts.get(0));
        for (; event != null && count < CHAIN; event = next(expression, event), count++) {
            String digits = format(event).replaceAll("[-:]", "");
            checksum = (checksum * 31 + Long.parseLong(digits.substring(0, 8))) % 2147483647;
            checksum = (checksum * 31 + Long.parseLong(digits.substring(9))) % 2147483647;
        }
        return line.append(String.format("\t%d:%d", count, checksum)).toString();
    }

    static String answer(String text, List<Date> starts) {
        CronExpression expression;
        try {
            expression = new CronExpression(text);
        } catch (ParseException error) {
            return "\trefused";
        }
        try {
            return record(expression, starts);
        } catch (Endless error) {
            return "\thangs";
        } catch (RuntimeException error) {
            return "\tcrashes";
        }
    }

    public static void main(String[] arguments) throws IOException {
        List<Date> starts = new ArrayList<>();
        for (String argument : arguments) {
            starts.add(Date.from(instant(argument)));
        }
        BufferedReader input =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream output = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            output.println(line + answer(line, starts));
        }
        output.flush();
    }
}
