//! Quotes a schedule on a calendar: the macro does not see its days, so constant evaluation makes
//! the tables from the days and a rule.

use millicron_runtime::OnCalendar;
use millicron_runtime::days::{BusinessSteps, DateRule, DayRule, DaySet, MovedDates, Years};
use millicron_runtime::search::{DayTimes, YearDays};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::LitStr;

use crate::input::NamedCalendar;
use crate::quote_plan::{Part, bits, number, numbers, time_part, words};

/// Returns an expression of type `Schedule`, which refers to constants only.
///
/// The path of the calendar is outside the block that has the names of this code, since it may
/// consist of the same names.
pub(crate) fn schedule(
    root: &TokenStream,
    literal: &LitStr,
    on: &OnCalendar,
    calendar: &NamedCalendar,
) -> TokenStream {
    let OnCalendar { name: _, rule, time, times, has_ends, never } = on;
    let (rule, times) = (day_rule(rule), day_times(times));
    let Part { ty, value: time } = time_part(time);
    let path = &calendar.path;
    let message = never.to_string();
    let check = quote!(private::assert_days(DAYS, #message));
    let ends = if *has_ends {
        quote!(private::Option::Some(const { &DAY_SET.next_days().tables() }))
    } else {
        quote!(private::Option::None)
    };
    let reference = quote_spanned!(calendar.span=> &#path);
    quote! {{
        const __MILLICRON_CALENDAR: #root::__private::StaticRef<#root::Calendar> = #reference;
        {
            use #root::__private as private;
            const DAY_SET: private::DaySet = private::days_on(__MILLICRON_CALENDAR, &#rule);
            const DAYS: private::StaticRef<private::DayTables> = &DAY_SET.tables();
            const _: () = #check;
            enum This {}
            impl private::Compiled for This {
                type Date = private::DayBitmap<private::StaticRef<private::DayTables>>;
                type Time = #ty;
                const TEXT: private::StaticRef<private::Str> = #literal;
                const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> =
                    &private::Plan::on_days(
                        private::DayBitmap { days: DAYS, ends: #ends },
                        #time,
                        &#times,
                    );
            }
            private::schedule::<This>()
        }
    }}
}

fn day_times(times: &DayTimes) -> TokenStream {
    let DayTimes { ends, count, shift, last_in_range, beyond } = times;
    let ends = numbers(ends);
    let [count, shift, last_in_range, beyond] =
        [*count, *shift, *last_in_range, *beyond].map(number);
    quote! {
        private::DayTimes {
            ends: #ends,
            count: #count,
            shift: #shift,
            last_in_range: #last_in_range,
            beyond: #beyond,
        }
    }
}

fn day_rule(rule: &DayRule) -> TokenStream {
    let DayRule {
        dates,
        weekdays,
        either_within,
        is_every,
        numbered,
        before_last,
        moves,
        steps,
        is_restricted,
    } = rule;
    let dates = date_rule(dates);
    let weekdays = option(weekdays.as_ref().map(date_rule));
    let either_within = option(either_within.as_ref().map(date_rule));
    let [numbered, before_last] = [*numbered, *before_last].map(bits);
    let moves = moves.iter().map(|moved| option(moved.as_ref().map(moved_dates)));
    let steps = option(steps.as_ref().map(|BusinessSteps { from, step }| {
        let [from, step] = [*from, *step].map(number);
        quote!(private::BusinessSteps { from: #from, step: #step })
    }));
    quote! {
        private::DayRule {
            dates: #dates,
            weekdays: #weekdays,
            either_within: #either_within,
            is_every: #is_every,
            numbered: #numbered,
            before_last: #before_last,
            moves: [#(#moves),*],
            steps: #steps,
            is_restricted: #is_restricted,
        }
    }
}

fn option(value: Option<TokenStream>) -> TokenStream {
    let none = || quote!(private::Option::None);
    value.map_or_else(none, |value| quote!(private::Option::Some(#value)))
}

fn date_rule(rule: &DateRule) -> TokenStream {
    match rule {
        DateRule::All => quote!(private::DateRule::All),
        DateRule::Years(dates) => {
            let dates = years(dates);
            quote!(private::DateRule::Years(#dates))
        }
        DateRule::Days(days) => {
            let days = day_set(days);
            quote!(private::DateRule::Days(#days))
        }
    }
}

fn moved_dates(moved: &MovedDates) -> TokenStream {
    let MovedDates { dates, is_back, is_modified, offset } = moved;
    let dates = years(dates);
    let offset = proc_macro2::Literal::i8_unsuffixed(*offset);
    quote! {
        private::MovedDates {
            dates: #dates,
            is_back: #is_back,
            is_modified: #is_modified,
            offset: #offset,
        }
    }
}

fn years(Years(YearDays(days), years): &Years) -> TokenStream {
    let (days, years) = (words(days), bits(*years));
    quote!(private::Years(private::YearDays(#days), #years))
}

/// Returns any days.
pub(crate) fn day_set(DaySet(days): &DaySet) -> TokenStream {
    let days = words(days);
    quote!(private::DaySet(#days))
}
