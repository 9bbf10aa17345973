//! Quotes schedules on calendars, and unions: the macro does not see the days of a calendar, so
//! constant evaluation makes the tables from the days and a rule.

use millicron_runtime::days::{BusinessSteps, DateRule, DayRule, DaySet, MovedDates, Years};
use millicron_runtime::overlap::{self, Steps};
use millicron_runtime::search::{DatePlan, DayTimes, YearDays};
use millicron_runtime::{MemberDays, OnCalendar, Planned, PlannedMember, PlannedUnion};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::input::NamedCalendar;
use crate::quote_plan::{Part, bits, compiled, number, numbers, option, time_part, words};

/// Returns the names of the calendars of a schedule.
pub(crate) fn names<'t>(planned: &Planned, text: &'t str) -> Vec<&'t str> {
    match planned {
        Planned::Plan(_) => Vec::new(),
        Planned::OnCalendar(on) => vec![&text[on.name.clone()]],
        Planned::Union(union) => {
            let names = |it: &PlannedMember| names(&it.planned, &text[it.span.clone()]);
            union.members.iter().flat_map(names).collect()
        }
    }
}

/// Returns an expression of type `Schedule`, which refers to constants only. `calendars` has all
/// that the schedule names.
///
/// The paths of the calendars are outside the block that has the names of this code, since they may
/// consist of the same names.
pub(crate) fn schedule(
    root: &TokenStream,
    text: &str,
    planned: &Planned,
    calendars: &[NamedCalendar],
) -> TokenStream {
    let constants = calendars.iter().enumerate();
    let constants = constants.map(|(place, calendar)| calendar_constant(root, place, calendar));
    let value = match planned {
        Planned::Union(union) => union_of(text, union, calendars),
        single => {
            let items = member(text, single, calendars, text);
            quote!(#items private::schedule::<This>())
        }
    };
    quote! {{
        #(#constants)*
        {
            use #root::__private as private;
            #value
        }
    }}
}

/// Returns the name of the constant for a calendar.
pub(crate) fn constant(place: usize) -> Ident {
    format_ident!("__MILLICRON_CALENDAR_{place}")
}

/// Returns the definition of the constant for a calendar.
pub(crate) fn calendar_constant(
    root: &TokenStream,
    place: usize,
    calendar: &NamedCalendar,
) -> TokenStream {
    let (constant, value) = (constant(place), calendar.reference());
    quote!(const #constant: #root::__private::StaticRef<#root::Calendar> = #value;)
}

/// Returns the constant of the calendar that a schedule names.
fn calendar_of(text: &str, on: &OnCalendar, calendars: &[NamedCalendar]) -> Ident {
    let name = &text[on.name.clone()];
    constant(calendars.iter().position(|it| it.name == name).unwrap_or_default())
}

/// Returns the type `This`, which represents a schedule that is no union, given an expression for its text.
fn member(
    text: &str,
    planned: &Planned,
    calendars: &[NamedCalendar],
    value: impl ToTokens,
) -> TokenStream {
    match planned {
        Planned::Plan(plan) => compiled(value, plan),
        Planned::OnCalendar(on) => on_calendar(value, on, &calendar_of(text, on, calendars)),
        // No member of a union is one.
        Planned::Union(_) => TokenStream::new(),
    }
}

/// Returns the type `This`, which represents a schedule on a calendar.
fn on_calendar(text: impl ToTokens, on: &OnCalendar, calendar: &Ident) -> TokenStream {
    let OnCalendar { name: _, rule, time, times, has_ends, never } = on;
    let days = if rule.is_calendar() {
        quote!(private::tables_of(#calendar))
    } else {
        let rule = day_rule(rule);
        quote!(&private::tables_on(#calendar, &#rule))
    };
    let times = day_times(times);
    let Part { ty, value: time } = time_part(time);
    let message = never.to_string();
    let ends = option(has_ends.then(|| quote!(const { &private::EndRanks::of(DAYS) })));
    quote! {
        const DAYS: private::StaticRef<private::DayTables> = #days;
        const _: () = private::assert_days(DAYS, #message);
        enum This {}
        impl private::Compiled for This {
            type Date = private::DayBitmap;
            type Time = #ty;
            const TEXT: private::StaticRef<private::Str> = #text;
            const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> =
                &private::Plan::on_days(
                    private::DayBitmap { days: DAYS, ends: #ends },
                    #time,
                    &#times,
                );
        }
    }
}

/// Returns an expression of type `Schedule` for a union.
fn union_of(text: &str, union: &PlannedUnion, calendars: &[NamedCalendar]) -> TokenStream {
    let members = &union.members;
    let types: Vec<_> = (0..members.len()).map(|place| format_ident!("Member{place}")).collect();
    let definitions = members.iter().zip(&types).map(|(it, ty)| {
        let [from, to] = [it.span.start, it.span.end].map(Literal::usize_unsuffixed);
        // A part of the same text takes no space.
        let of_union = quote!(private::CompiledUnion::text_of_member(TEXT, #from, #to));
        let items = member(&text[it.span.clone()], &it.planned, calendars, of_union);
        member_type(ty, &items)
    });
    let plan_types = types.iter().map(|ty| {
        quote! {
            private::PlanOf<
                <#ty as private::Compiled>::Date,
                <#ty as private::Compiled>::Time,
            >
        }
    });
    let plan_type = pairs(plan_types, |first, rest| quote!(private::Pair<#first, #rest>));
    let plans = types.iter().map(|ty| quote!(<#ty as private::Compiled>::PLAN));
    let plans = pairs(plans, |first, rest| quote!(private::Pair(#first, #rest)));
    let overlap = option(overlap_of(union, &types));
    quote! {
        const TEXT: private::StaticRef<private::Str> = #text;
        #(#definitions)*
        const MEMBERS: private::StaticRef<[private::Member]> =
            &[#(private::Member::compiled::<#types>()),*];
        const PLAN: private::StaticRef<private::UnionPlan<#plan_type>> =
            &private::UnionPlan::new(
                #plans,
                &[#(<#types as private::Compiled>::PLAN.bounds),*],
                #overlap,
            );
        const UNION: private::StaticRef<private::CompiledUnion> =
            &private::CompiledUnion::new(TEXT, MEMBERS, PLAN);
        private::union(UNION)
    }
}

/// Returns the definition of a type that represents the same schedule as the type `This` in `items`. They are in a block
/// of their own, because each member of a union has a type `This`.
fn member_type(ty: &Ident, items: &TokenStream) -> TokenStream {
    quote! {
        enum #ty {}
        const _: () = {
            #items
            impl private::Compiled for #ty {
                type Date = <This as private::Compiled>::Date;
                type Time = <This as private::Compiled>::Time;
                const TEXT: private::StaticRef<private::Str> =
                    <This as private::Compiled>::TEXT;
                const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> =
                    <This as private::Compiled>::PLAN;
            }
        };
    }
}

/// Returns an expression of type `Overlap`, if members of a union, of which these are the types, may have an event in
/// common.
fn overlap_of(
    PlannedUnion { members, overlap }: &PlannedUnion,
    types: &[Ident],
) -> Option<TokenStream> {
    let (parts, sets) = overlap.as_ref()?;
    let per_day = numbers(&overlap::per_day(parts, sets.len()));
    let parts = parts.iter().map(part);
    let words = |place: usize| format_ident!("WORDS{place}");
    let have_sets = |place: &usize| sets.iter().any(|set| set.member == *place);
    let constants = (0..members.len()).filter(have_sets).map(|place| {
        let (name, value) = (words(place), words_of(&members[place], &types[place]));
        quote!(const #name: private::StaticRef<private::DayWords> = #value;)
    });
    let sets = sets.iter().map(|MemberDays { member, is_next }| {
        let words = words(*member);
        quote!(private::PartDays::compiled(#words, #is_next))
    });
    Some(quote! {{
        #(#constants)*
        const PARTS: private::StaticRef<[private::Part]> = &[#(#parts),*];
        const DAYS: private::StaticRef<[private::PartDays]> = &[#(#sets),*];
        // Counting may take long, but it ends.
        #[allow(long_running_const_eval)]
        const COUNTING: private::Counting = private::Counting::compiled(PARTS, DAYS, &#per_day);
        private::Overlap::compiled(PARTS, DAYS, &COUNTING, const {
            &COUNTING.memory.arrays::<
                { COUNTING.memory.lengths.combinations },
                { COUNTING.memory.lengths.minutes },
                { COUNTING.memory.lengths.terms },
                { COUNTING.memory.lengths.common },
            >()
        })
    }})
}

/// Returns a reference to the days of a member of a union, as bits: to tables that are in the program anyway, if that is
/// possible.
fn words_of(PlannedMember { planned, rule, .. }: &PlannedMember, ty: &Ident) -> TokenStream {
    let has_tables = match planned {
        Planned::Plan(plan) => matches!(plan.date, DatePlan::DayBitmap(_)),
        Planned::OnCalendar(_) => true,
        // No member of a union is one.
        Planned::Union(_) => false,
    };
    if has_tables {
        return quote!(<#ty as private::Compiled>::PLAN.date.days.words());
    }
    let days = rule.days(&DaySet::MONDAY_TO_FRIDAY);
    if days == DaySet::ALL {
        quote!(&private::ALL_DAYS.0)
    } else if days == DaySet::MONDAY_TO_FRIDAY {
        quote!(&private::MONDAYS_TO_FRIDAYS.0)
    } else {
        let rule = day_rule(rule);
        quote!(&private::DayRule::days(&#rule, &private::MONDAYS_TO_FRIDAYS).0)
    }
}

/// Joins items to pairs of the first one and a pair of the others.
fn pairs(
    items: impl DoubleEndedIterator<Item = TokenStream>,
    pair: impl Fn(TokenStream, TokenStream) -> TokenStream,
) -> TokenStream {
    items.rev().reduce(|rest, first| pair(first, rest)).unwrap_or_default()
}

fn part(part: &overlap::Part) -> TokenStream {
    let overlap::Part { member, days, times } = part;
    let [member, days] = [*member, *days].map(Literal::usize_unsuffixed);
    let (fields, millis, Steps { first, step, count }) = times.parts();
    let (fields, millis) = (words(&fields), words(millis));
    let [first, step, count] = [first, step, count].map(number);
    quote! {
        private::Part {
            member: #member,
            days: #days,
            times: private::Times::new(
                #fields,
                #millis,
                private::Steps { first: #first, step: #step, count: #count },
            ),
        }
    }
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

fn date_rule(rule: &DateRule) -> TokenStream {
    match rule {
        DateRule::All => quote!(private::DateRule::All),
        DateRule::Days(days) => {
            let days = day_set(days);
            quote!(private::DateRule::Days(#days))
        }
    }
}

fn moved_dates(moved: &MovedDates) -> TokenStream {
    let MovedDates { dates, is_back, is_modified, offset } = moved;
    let dates = years(dates);
    let offset = Literal::i8_unsuffixed(*offset);
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
