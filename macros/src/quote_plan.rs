//! Plan → tokens.
//!
//! Every structure is taken apart whole, so that a new field breaks the build
//! until it is quoted. What is generated names nothing but the path to
//! `millicron`, so it means the same wherever it stands.

use millicron_runtime::Expression;
use millicron_runtime::search::{
    At, DatePlan, Digits, EveryDay, FewDays, One, Plan, Split, TimePlan, Wide, Word,
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// A strategy: its type, and the constant of that type.
struct Part {
    ty: TokenStream,
    value: TokenStream,
}

/// An expression of type `Schedule` that holds nothing but references to
/// constants.
pub(crate) fn schedule(
    root: &TokenStream,
    text: &str,
    expression: &Expression,
    plan: &Plan<DatePlan, TimePlan>,
) -> TokenStream {
    let Plan {
        date,
        time,
        first,
        last,
        count,
        opens,
        closes,
        per_day,
    } = plan;
    let Part {
        ty: date_type,
        value: date,
    } = date_part(date);
    let Part {
        ty: time_type,
        value: time,
    } = time_part(time);
    let [first, last, count] = [first, last, count].map(|offset| Literal::u64_unsuffixed(*offset));
    let [opens, closes, per_day] =
        [opens, closes, per_day].map(|time| Literal::u32_unsuffixed(*time));
    let expression = expression_value(expression);
    quote! {{
        use #root::__private as __millicron;
        enum Compiled {}
        impl __millicron::Compiled for Compiled {
            type Date = __millicron::#date_type;
            type Time = __millicron::#time_type;
            const TEXT: __millicron::Static<__millicron::Text> = #text;
            const EXPRESSION: __millicron::Static<__millicron::Expression> = &__millicron::#expression;
            const PLAN: __millicron::Static<__millicron::Plan<Self::Date, Self::Time>> = &__millicron::Plan {
                date: __millicron::#date,
                time: __millicron::#time,
                first: #first,
                last: #last,
                count: #count,
                opens: #opens,
                closes: #closes,
                per_day: #per_day,
            };
        }
        __millicron::schedule(const { &__millicron::Code::of::<Compiled>() })
    }}
}

fn date_part(plan: &DatePlan) -> Part {
    match plan {
        DatePlan::EveryDay(EveryDay) => Part {
            ty: quote!(EveryDay),
            value: quote!(EveryDay),
        },
        DatePlan::Weekdays(days) => {
            let mask = bits(days.mask());
            Part {
                ty: quote!(Weekdays),
                value: quote!(Weekdays::new(#mask)),
            }
        }
        DatePlan::FewDays(days) => {
            let size = Literal::usize_unsuffixed(FewDays::<0>::size_for(days.days().len()));
            let days = days.days().iter().map(|day| Literal::u16_unsuffixed(*day));
            Part {
                ty: quote!(FewDays<#size>),
                value: quote!(FewDays::new(&[#(#days),*]).unwrap()),
            }
        }
        DatePlan::Dates(days) => rows_part(2, days.parts()),
        DatePlan::DatesOnWeekdays(days) => rows_part(14, days.parts()),
    }
}

fn rows_part(shapes: usize, (rows, weekdays, years): ([[u64; 6]; 2], u8, u128)) -> Part {
    let shapes = Literal::usize_unsuffixed(shapes);
    let [common, leap] = rows.map(|row| words(&row));
    let (weekdays, years) = (bits(weekdays), bits(years));
    Part {
        ty: quote!(YearRows<#shapes>),
        value: quote!(YearRows::new([#common, #leap], #weekdays, #years)),
    }
}

fn time_part(plan: &TimePlan) -> Part {
    match plan {
        TimePlan::At(At(time)) => {
            let time = Literal::u32_unsuffixed(*time);
            Part {
                ty: quote!(At),
                value: quote!(At(#time)),
            }
        }
        TimePlan::Stride(stride) => {
            let (period, offset) = stride.parts();
            let [period, offset] = [period, offset].map(Literal::u32_unsuffixed);
            Part {
                ty: quote!(Stride),
                value: quote!(Stride::new(#period, #offset)),
            }
        }
        TimePlan::SplitWord(split) => split_part(split, &quote!(Word), word_value),
        TimePlan::SplitWide(split) => split_part(split, &quote!(Wide), wide_value),
        TimePlan::DigitsOne(digits) => digits_part(digits, &quote!(One), one_value),
        TimePlan::DigitsWide(digits) => digits_part(digits, &quote!(Wide), wide_value),
    }
}

/// A digit set within a time strategy: its type, and its constant.
fn split_part<S>(split: &Split<S>, ty: &TokenStream, value: fn(&S) -> TokenStream) -> Part {
    let (unit, radix, offset, set) = split.parts();
    let [unit, radix, offset] = [unit, radix, offset].map(Literal::u32_unsuffixed);
    let set = value(set);
    Part {
        ty: quote!(Split<__millicron::#ty>),
        value: quote!(Split::new(#unit, #radix, #offset, __millicron::#set)),
    }
}

fn digits_part<L>(digits: &Digits<L>, ty: &TokenStream, value: fn(&L) -> TokenStream) -> Part {
    let Digits {
        hours,
        minutes,
        seconds,
        millis,
    } = digits;
    let [hours, minutes, seconds] = [hours, minutes, seconds].map(|word| bits(*word));
    let millis = value(millis);
    Part {
        ty: quote!(Digits<__millicron::#ty>),
        value: quote!(Digits {
            hours: #hours,
            minutes: #minutes,
            seconds: #seconds,
            millis: __millicron::#millis,
        }),
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "of one signature with the other sets"
)]
fn one_value(One(value): &One) -> TokenStream {
    let value = Literal::u32_unsuffixed(*value);
    quote!(One(#value))
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "of one signature with the other sets"
)]
fn word_value(Word(word): &Word) -> TokenStream {
    let word = bits(*word);
    quote!(Word(#word))
}

fn wide_value(set: &Wide) -> TokenStream {
    let words = words(set.words());
    quote!(Wide::new(#words))
}

fn expression_value(expression: &Expression) -> TokenStream {
    let Expression {
        year,
        month,
        day,
        weekday,
        hour,
        minute,
        second,
        millisecond,
    } = expression;
    let [month, day, weekday] = [month, day, weekday].map(|word| bits(*word));
    let [hour, minute, second] = [hour, minute, second].map(|word| bits(*word));
    let (year, millisecond) = (words(year), words(millisecond));
    quote!(Expression {
        year: #year,
        month: #month,
        day: #day,
        weekday: #weekday,
        hour: #hour,
        minute: #minute,
        second: #second,
        millisecond: #millisecond,
    })
}

fn words(words: &[u64]) -> TokenStream {
    let words = words.iter().map(|word| bits(*word));
    quote!([#(#words),*])
}

/// A bitmap, in the base that shows its bits the best.
fn bits(bits: impl Into<u128>) -> Literal {
    let bits = bits.into();
    let text = if bits < 10 {
        bits.to_string()
    } else {
        grouped(bits)
    };
    // Digits and underscores are always a literal.
    text.parse()
        .unwrap_or_else(|_| Literal::u128_unsuffixed(bits))
}

/// Hexadecimal, in groups of four digits where there are many.
fn grouped(bits: u128) -> String {
    let digits = format!("{bits:x}");
    let mut text = String::from("0x");
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(4) {
            text.push('_');
        }
        text.push(digit);
    }
    text
}
