//! Quotes a plan as Rust tokens.
//!
//! Structs are destructured without `..`, so that a new field breaks the build until it is
//! quoted. The generated code refers only to the path of `millicron`, whose hidden module it
//! imports as `private`, so that it does not depend on the names around it.

use millicron_runtime::search::{
    Bounds, DatePlan, DayBitmap, DayList, DayTables, EndRanks, EveryDay, FieldProduct, FixedTime,
    MillisecondSet, OneField, Plan, SingleValue, SmallSet, TimePlan, ValueSet, YearDays, YearRows,
    YearWord,
};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

/// A strategy: its type and its value.
pub(crate) struct Part {
    pub(crate) ty: TokenStream,
    pub(crate) value: TokenStream,
}

/// Returns an expression of type `Schedule`, which refers to constants only.
///
/// It is a block, so that its import and its definition do not conflict with the names around it.
pub(crate) fn schedule(
    root: &TokenStream,
    text: &str,
    plan: &Plan<DatePlan, TimePlan>,
) -> TokenStream {
    let items = compiled(text, plan);
    quote! {{
        use #root::__private as private;
        #items
        private::schedule::<This>()
    }}
}

/// Returns the type `This`, which represents a compiled schedule, given an expression for its text.
pub(crate) fn compiled(text: impl ToTokens, plan: &Plan<DatePlan, TimePlan>) -> TokenStream {
    let Plan { date, time, times, bounds } = plan;
    let (Bounds { first, last, count }, times) = (bounds, numbers(times));
    let (date, time) = (date_part(date), time_part(time));
    let Part { ty: date_type, value: date } = date;
    let Part { ty: time_type, value: time } = time;
    let [first, last, count] = [*first, *last, *count].map(number);
    quote! {
        enum This {}
        impl private::Compiled for This {
            type Date = #date_type;
            type Time = #time_type;
            const TEXT: private::StaticRef<private::Str> = #text;
            const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
                date: #date,
                time: #time,
                times: #times,
                bounds: private::Bounds { first: #first, last: #last, count: #count },
            };
        }
    }
}

impl Part {
    /// Returns a part whose type has no parameters.
    fn new(name: &str, value: TokenStream) -> Self {
        let ty = Ident::new(name, Span::call_site());
        Self { ty: quote!(private::#ty), value }
    }

    /// Returns a part that its constructor returns for some arguments.
    fn constructed(name: &str, arguments: &[impl ToTokens]) -> Self {
        let ty = Ident::new(name, Span::call_site());
        Self::new(name, quote!(private::#ty::new(#(#arguments),*)))
    }
}

fn date_part(plan: &DatePlan) -> Part {
    match plan {
        DatePlan::EveryDay(EveryDay) => Part::new("EveryDay", quote!(private::EveryDay)),
        DatePlan::Weekdays(days) => Part::constructed("Weekdays", &[bits(days.mask())]),
        DatePlan::DayList(days) => day_list_part(days),
        DatePlan::DayListOf4Years(days) => day_list_part(days),
        DatePlan::DayListOf28Years(days) => day_list_part(days),
        DatePlan::DaySteps(days) => {
            let (first, cycle, step, pattern) = days.parts();
            let [first, cycle, step] = [first, cycle, step].map(number);
            Part::constructed("DaySteps", &[first, cycle, step, bits(pattern)])
        }
        DatePlan::YearWord(days) => year_word_part(days),
        DatePlan::YearRows(days) => year_rows_part(days),
        DatePlan::DayBitmap(days) => day_bitmap_part(days),
    }
}

fn day_list_part<const SIZE: usize, const YEARS: u32>(plan: &DayList<SIZE, YEARS>) -> Part {
    let (days, of_2100) = plan.parts();
    // Rounded up, so that schedules share their code.
    let size = DayList::<SIZE, YEARS>::size_for(days, of_2100).next_multiple_of(32);
    let (size, years) = (Literal::usize_unsuffixed(size), Literal::u32_unsuffixed(YEARS));
    let [days, of_2100] = [days, of_2100].map(numbers);
    let value = quote!(private::DayList::new(&#days, &#of_2100).unwrap());
    Part { ty: quote!(private::DayList<#size, #years>), ..Part::new("DayList", value) }
}

// The next two strategies are quoted with their tables: evaluating constructors would take the
// compiler two to ten times as long as reading the tables.

fn year_word_part(plan: &YearWord) -> Part {
    let YearWord { words: days_of, days, nexts, prevs, before, start, slope } = plan;
    let days_of = words(days_of);
    let days = days.iter().map(|days| numbers(days));
    let (nexts, prevs, before) = (numbers(nexts), numbers(prevs), numbers(before));
    let [start, slope] = [u32::from(*start), *slope].map(number);
    let value = quote! {
        private::YearWord {
            words: #days_of,
            days: [#(#days),*],
            nexts: #nexts,
            prevs: #prevs,
            before: #before,
            start: #start,
            slope: #slope,
        }
    };
    Part::new("YearWord", value)
}

fn year_rows_part(plan: &YearRows) -> Part {
    let YearRows { days: YearDays(days), nexts, prevs, ranks, years, before, slope, is_linked } =
        plan;
    let days = words(days);
    let [years, ranks] = [&years[..], ranks].map(words);
    let [nexts, prevs] = [&nexts[..], prevs].map(words);
    let (before, slope) = (numbers(before), number(*slope));
    let value = quote! {
        private::YearRows {
            days: private::YearDays(#days),
            nexts: #nexts,
            prevs: #prevs,
            ranks: #ranks,
            years: #years,
            before: #before,
            slope: #slope,
            is_linked: #is_linked,
        }
    };
    Part::new("YearRows", value)
}

fn day_bitmap_part(plan: &DayBitmap<Box<DayTables>, Box<EndRanks>>) -> Part {
    let DayBitmap { days, ends } = plan;
    let days = words(days.words());
    let ends = option(ends.as_ref().map(|_| quote!(const { &private::EndRanks::of(DAYS) })));
    let value = quote! {{
        const DAYS: private::StaticRef<private::DayTables> = &private::DayTables::new(&#days);
        private::DayBitmap { days: DAYS, ends: #ends }
    }};
    Part::new("DayBitmap", value)
}

pub(crate) fn time_part(plan: &TimePlan) -> Part {
    match plan {
        TimePlan::FixedTime(FixedTime(time)) => {
            let time = number(*time);
            Part::new("FixedTime", quote!(private::FixedTime(#time)))
        }
        TimePlan::Stride(stride) => {
            let (period, offset) = stride.parts();
            Part::constructed("Stride", &[period, offset].map(number))
        }
        TimePlan::WindowSteps(window) => {
            let (from, step, count) = window.parts();
            Part::constructed("WindowSteps", &[from, step, count].map(number))
        }
        TimePlan::OneSmallField(times) => one_field_part(times, small_set_part),
        TimePlan::OneMillisecondField(times) => one_field_part(times, millisecond_set_part),
        TimePlan::ProductWithOneMillisecond(times) => product_part(times, single_value_part),
        TimePlan::ProductWithMilliseconds(times) => product_part(times, millisecond_set_part),
    }
}

fn one_field_part<S>(times: &OneField<S>, set_part: fn(&S) -> Part) -> Part {
    let (unit, radix, offset, set) = times.parts();
    let [unit, radix, offset] = [unit, radix, offset].map(number);
    let Part { ty, value } = set_part(set);
    Part {
        ty: quote!(private::OneField<#ty>),
        value: quote!(private::OneField::new(#unit, #radix, #offset, #value)),
    }
}

fn product_part<L: ValueSet>(times: &FieldProduct<L>, set_part: fn(&L) -> Part) -> Part {
    let (hours, minutes, seconds, millis) = times.parts();
    let (hours, minutes, seconds) = (bits(hours), bits(minutes), bits(seconds));
    let Part { ty, value } = set_part(millis);
    Part {
        ty: quote!(private::FieldProduct<#ty>),
        value: quote!(private::FieldProduct::new(#hours, #minutes, #seconds, #value)),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "same signature as the other sets")]
fn single_value_part(SingleValue(value): &SingleValue) -> Part {
    let value = number(*value);
    Part::new("SingleValue", quote!(private::SingleValue(#value)))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "same signature as the other sets")]
fn small_set_part(set: &SmallSet) -> Part {
    Part::new("SmallSet", bits(*set).into_token_stream())
}

fn millisecond_set_part(set: &MillisecondSet) -> Part {
    Part::constructed("MillisecondSet", &[words(set.words())])
}

pub(crate) fn option(value: Option<TokenStream>) -> TokenStream {
    let none = || quote!(private::Option::None);
    value.map_or_else(none, |value| quote!(private::Option::Some(#value)))
}

pub(crate) fn words(words: &[u64]) -> TokenStream {
    let words = words.iter().map(|word| bits(*word));
    quote!([#(#words),*])
}

pub(crate) fn numbers<T: Copy + Into<u64>>(numbers: &[T]) -> TokenStream {
    let numbers = numbers.iter().map(|each| number(*each));
    quote!([#(#numbers),*])
}

/// Formats a number, with its digits in groups of three.
pub(crate) fn number(number: impl Into<u64>) -> Literal {
    let number = number.into();
    let text = if number < 10_000 { number.to_string() } else { grouped(&number.to_string(), 3) };
    literal(&text, number.into())
}

/// Formats a bitmap in hexadecimal, with its digits in groups of four.
pub(crate) fn bits(bits: impl Into<u128>) -> Literal {
    let bits = bits.into();
    let text = if bits < 10 {
        bits.to_string()
    } else {
        format!("0x{}", grouped(&format!("{bits:x}"), 4))
    };
    literal(&text, bits)
}

/// Returns a number as written, without a type suffix.
fn literal(text: &str, value: u128) -> Literal {
    let literal = text.parse();
    debug_assert!(literal.is_ok(), "digits and underscores are a literal");
    literal.unwrap_or_else(|_| Literal::u128_unsuffixed(value))
}

fn grouped(digits: &str, size: usize) -> String {
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(size) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}
