//! Quotes a plan as Rust tokens.
//!
//! Structs are destructured without `..`, so that a new field breaks the build until it is
//! quoted. The generated code refers only to the path of `millicron`, so that it does not
//! depend on the names around it.

use std::collections::BTreeSet;

use millicron_runtime::search::{
    Bounds, DatePlan, DayBitmap, DayList, DaySteps, DayTables, EveryDay, FieldProduct, FixedTime,
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

fn date_part(plan: &DatePlan) -> Part {
    match plan {
        DatePlan::EveryDay(EveryDay) => {
            Part { names: vec!["EveryDay"], ty: quote!(EveryDay), value: quote!(EveryDay) }
        }
        DatePlan::Weekdays(days) => {
            let mask = bits(days.mask());
            Part {
                names: vec!["Weekdays"],
                ty: quote!(Weekdays),
                value: quote!(Weekdays::new(#mask)),
            }
        }
        DatePlan::DayList(days) => day_list_part(days),
        DatePlan::DayListOf4Years(days) => day_list_part(days),
        DatePlan::DayListOf28Years(days) => day_list_part(days),
        DatePlan::DaySteps(days) => day_steps_part(days),
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
    let [days, of_2100] = [days, of_2100].map(|days| days.iter().map(|day| number(*day)));
    Part {
        names: vec!["DayList"],
        ty: quote!(DayList<#size, #years>),
        value: quote!(DayList::new(&[#(#days),*], &[#(#of_2100),*]).unwrap()),
    }
}

fn day_steps_part(plan: &DaySteps) -> Part {
    let (first, cycle, step, pattern) = plan.parts();
    let [first, cycle, step] = [first, cycle, step].map(number);
    let pattern = bits(pattern);
    Part {
        names: vec!["DaySteps"],
        ty: quote!(DaySteps),
        value: quote!(DaySteps::new(#first, #cycle, #step, #pattern)),
    }
}

// The next two strategies are quoted with their tables: evaluating constructors would take the
// compiler two to ten times as long as reading the tables.

fn year_word_part(plan: &YearWord) -> Part {
    let YearWord { words: days_of, days, nexts, prevs, before, start, slope } = plan;
    let days_of = words(days_of);
    let days = days.iter().map(|days| numbers(days));
    let (nexts, prevs, before) = (numbers(nexts), numbers(prevs), numbers(before));
    let [start, slope] = [u32::from(*start), *slope].map(number);
    Part {
        names: vec!["YearWord"],
        ty: quote!(YearWord),
        value: quote! {
            YearWord {
                words: #days_of,
                days: [#(#days),*],
                nexts: #nexts,
                prevs: #prevs,
                before: #before,
                start: #start,
                slope: #slope,
            }
        },
    }
}

fn year_rows_part(plan: &YearRows) -> Part {
    let YearRows { days: YearDays(days), nexts, prevs, ranks, years, before, slope, is_linked } =
        plan;
    let days = words(days);
    let [years, ranks] = [&years[..], ranks].map(words);
    let [nexts, prevs] = [&nexts[..], prevs].map(words);
    let (before, slope) = (numbers(before), number(*slope));
    Part {
        names: vec!["YearDays", "YearRows"],
        ty: quote!(YearRows),
        value: quote! {
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
        },
    }
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
            Part {
                names: vec!["FixedTime"],
                ty: quote!(FixedTime),
                value: quote!(FixedTime(#time)),
            }
        }
        TimePlan::Stride(stride) => {
            let (period, offset) = stride.parts();
            let [period, offset] = [period, offset].map(number);
            Part {
                names: vec!["Stride"],
                ty: quote!(Stride),
                value: quote!(Stride::new(#period, #offset)),
            }
        }
        TimePlan::WindowSteps(window) => {
            let (from, step, count) = window.parts();
            let [from, step, count] = [from, step, count].map(number);
            Part {
                names: vec!["WindowSteps"],
                ty: quote!(WindowSteps),
                value: quote!(WindowSteps::new(#from, #step, #count)),
            }
        }
        TimePlan::OneSmallField(split) => one_field_part(split, small_set_part),
        TimePlan::OneMillisecondField(split) => one_field_part(split, millisecond_set_part),
        TimePlan::ProductWithOneMillisecond(digits) => product_part(digits, single_value_part),
        TimePlan::ProductWithMilliseconds(digits) => product_part(digits, millisecond_set_part),
    }
}

fn one_field_part<S>(split: &OneField<S>, set_part: fn(&S) -> Part) -> Part {
    let (unit, radix, offset, set) = split.parts();
    let [unit, radix, offset] = [unit, radix, offset].map(number);
    let Part { mut names, ty, value } = set_part(set);
    names.push("OneField");
    Part {
        names,
        ty: quote!(OneField<#ty>),
        value: quote!(OneField::new(#unit, #radix, #offset, #value)),
    }
}

fn product_part<L: ValueSet>(product: &FieldProduct<L>, set_part: fn(&L) -> Part) -> Part {
    let (minutes, seconds, millis) = product.parts();
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
    Part { names: vec!["SingleValue"], ty: quote!(SingleValue), value: quote!(SingleValue(#value)) }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "same signature as the other sets")]
fn small_set_part(set: &SmallSet) -> Part {
    let word = bits(set.bits());
    Part { names: vec!["SmallSet"], ty: quote!(SmallSet), value: quote!(SmallSet::new(#word)) }
}

fn millisecond_set_part(set: &MillisecondSet) -> Part {
    let words = words(set.words());
    Part {
        names: vec!["MillisecondSet"],
        ty: quote!(MillisecondSet),
        value: quote!(MillisecondSet::new(#words)),
    }
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
