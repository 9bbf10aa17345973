//! Quotes a plan as Rust tokens.
//!
//! Structs are destructured without `..`, so that a new field breaks the build until it is
//! quoted. The generated code refers only to the path of `millicron`, so that it does not
//! depend on the names around it.

use std::collections::BTreeSet;

use millicron_runtime::search::{
    Bounds, DatePlan, DayBitmap, DayList, DayTables, EveryDay, FieldProduct, FixedTime,
    MillisecondSet, OneField, Plan, SingleValue, SmallSet, TimePlan, ValueSet, YearDays, YearRows,
    YearWord,
};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// A strategy: the names that it imports, its type, and its value.
struct Part {
    names: Vec<&'static str>,
    ty: TokenStream,
    value: TokenStream,
}

/// Returns an expression of type `Schedule`, which refers to constants only.
///
/// It is a block, so that its imports and definitions do not conflict with the names around
/// it.
pub(crate) fn schedule(
    root: &TokenStream,
    text: &str,
    plan: &Plan<DatePlan, TimePlan>,
) -> TokenStream {
    let Plan { date, time, times, bounds } = plan;
    let (Bounds { first, last, count }, times) = (bounds, numbers(times));
    let (date, time) = (date_part(date), time_part(time));
    let names = imports([&date, &time]);
    let Part { ty: date_type, value: date, .. } = date;
    let Part { ty: time_type, value: time, .. } = time;
    let [first, last, count] = [*first, *last, *count].map(number);
    quote! {{
        use #root::__private::{#(#names),*};
        enum This {}
        impl Compiled for This {
            type Date = #date_type;
            type Time = #time_type;
            const TEXT: StaticRef<Str> = #text;
            const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
                date: #date,
                time: #time,
                times: #times,
                bounds: Bounds { first: #first, last: #last, count: #count },
            };
        }
        schedule::<This>()
    }}
}

/// Returns all names that the expansion imports, sorted and without duplicates.
fn imports(parts: [&Part; 2]) -> Vec<Ident> {
    const ALWAYS: [&str; 6] = ["Bounds", "Compiled", "Plan", "StaticRef", "Str", "schedule"];
    let names = parts.into_iter().flat_map(|part| &part.names);
    let names: BTreeSet<&str> = names.chain(&ALWAYS).copied().collect();
    names.into_iter().map(|name| Ident::new(name, Span::call_site())).collect()
}

impl Part {
    /// Returns a part whose type has no parameters.
    fn new(name: &'static str, value: TokenStream) -> Self {
        let ty = Ident::new(name, Span::call_site());
        Self { names: vec![name], ty: quote!(#ty), value }
    }
}

fn date_part(plan: &DatePlan) -> Part {
    match plan {
        DatePlan::EveryDay(EveryDay) => Part::new("EveryDay", quote!(EveryDay)),
        DatePlan::Weekdays(days) => {
            let mask = bits(days.mask());
            Part::new("Weekdays", quote!(Weekdays::new(#mask)))
        }
        DatePlan::DayList(days) => day_list_part(days),
        DatePlan::DayListOf4Years(days) => day_list_part(days),
        DatePlan::DayListOf28Years(days) => day_list_part(days),
        DatePlan::DaySteps(days) => {
            let (first, cycle, step, pattern) = days.parts();
            let [first, cycle, step] = [first, cycle, step].map(number);
            let pattern = bits(pattern);
            Part::new("DaySteps", quote!(DaySteps::new(#first, #cycle, #step, #pattern)))
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
    let value = quote!(DayList::new(&#days, &#of_2100).unwrap());
    Part { ty: quote!(DayList<#size, #years>), ..Part::new("DayList", value) }
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
        YearWord {
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
        YearRows {
            days: YearDays(#days),
            nexts: #nexts,
            prevs: #prevs,
            ranks: #ranks,
            years: #years,
            before: #before,
            slope: #slope,
            is_linked: #is_linked,
        }
    };
    Part { names: vec!["YearDays", "YearRows"], ..Part::new("YearRows", value) }
}

fn day_bitmap_part(plan: &DayBitmap<Box<DayTables>>) -> Part {
    let DayBitmap { days, ends } = plan;
    let days = day_tables(days);
    let ends = ends.as_deref().map(day_tables).map(|ends| quote!(Option::Some(#ends)));
    let ends = ends.unwrap_or_else(|| quote!(Option::None));
    Part {
        names: vec!["DayBitmap", "DayTables", "Option", "StaticRef"],
        ty: quote!(DayBitmap<StaticRef<DayTables>>),
        value: quote!(DayBitmap { days: #days, ends: #ends }),
    }
}

fn day_tables(tables: &DayTables) -> TokenStream {
    let DayTables { words: days, before, nexts, prevs } = tables;
    let days = words(days);
    let (before, nexts, prevs) = (numbers(before), numbers(nexts), numbers(prevs));
    quote!(&DayTables { words: #days, before: #before, nexts: #nexts, prevs: #prevs })
}

fn time_part(plan: &TimePlan) -> Part {
    match plan {
        TimePlan::FixedTime(FixedTime(time)) => {
            let time = number(*time);
            Part::new("FixedTime", quote!(FixedTime(#time)))
        }
        TimePlan::Stride(stride) => {
            let (period, offset) = stride.parts();
            let [period, offset] = [period, offset].map(number);
            Part::new("Stride", quote!(Stride::new(#period, #offset)))
        }
        TimePlan::WindowSteps(window) => {
            let (from, step, count) = window.parts();
            let [from, step, count] = [from, step, count].map(number);
            Part::new("WindowSteps", quote!(WindowSteps::new(#from, #step, #count)))
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
    let Part { mut names, ty, value } = set_part(set);
    names.push("OneField");
    Part {
        names,
        ty: quote!(OneField<#ty>),
        value: quote!(OneField::new(#unit, #radix, #offset, #value)),
    }
}

fn product_part<L: ValueSet>(times: &FieldProduct<L>, set_part: fn(&L) -> Part) -> Part {
    let (minutes, seconds, millis) = times.parts();
    let (hours, minutes) = minutes.parts();
    let (hours, minutes, seconds) = (bits(hours), bits(minutes), bits(seconds));
    let Part { mut names, ty, value } = set_part(millis);
    names.extend(["DayMinutes", "FieldProduct"]);
    Part {
        names,
        ty: quote!(FieldProduct<#ty>),
        value: quote!(FieldProduct::new(DayMinutes::new(#hours, #minutes), #seconds, #value)),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "same signature as the other sets")]
fn single_value_part(SingleValue(value): &SingleValue) -> Part {
    let value = number(*value);
    Part::new("SingleValue", quote!(SingleValue(#value)))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "same signature as the other sets")]
fn small_set_part(set: &SmallSet) -> Part {
    let word = bits(set.bits());
    Part::new("SmallSet", quote!(SmallSet::new(#word)))
}

fn millisecond_set_part(set: &MillisecondSet) -> Part {
    let words = words(set.words());
    Part::new("MillisecondSet", quote!(MillisecondSet::new(#words)))
}

fn words(words: &[u64]) -> TokenStream {
    let words = words.iter().map(|word| bits(*word));
    quote!([#(#words),*])
}

fn numbers<T: Copy + Into<u64>>(numbers: &[T]) -> TokenStream {
    let numbers = numbers.iter().map(|each| number(*each));
    quote!([#(#numbers),*])
}

/// Formats a number, with its digits in groups of three.
fn number(number: impl Into<u64>) -> Literal {
    let number = number.into();
    let text = if number < 10_000 { number.to_string() } else { grouped(&number.to_string(), 3) };
    literal(&text, number.into())
}

/// Formats a bitmap in hexadecimal, with its digits in groups of four.
fn bits(bits: impl Into<u128>) -> Literal {
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
