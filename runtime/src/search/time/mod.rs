//! The time strategies.
//!
//! Hour, minute, second and millisecond are the digits of a mixed-radix number. The strategy
//! depends on which of them are free (every value), fixed (one value) or a list:
//!
//! | strategy | fields | example |
//! | --- | --- | --- |
//! | [`FixedTime`] | all fixed | `09:30:00` |
//! | [`Stride`] | free, then a step that divides its radix, then fixed | `*:*/15:00` |
//! | [`OneField`] | free, then one list, then fixed | `*:*:*.1,2,3-5` |
//! | [`WindowSteps`] | equal steps within a part of the day | `09:30:00..16:00:00/15m` |
//! | [`FieldProduct`] | any others | `8-17:*/20,59:00` |

mod field_product;
mod fixed_time;
mod one_field;
mod part;
mod plan;
mod stride;
mod window_steps;

pub use field_product::FieldProduct;
pub use fixed_time::FixedTime;
pub use one_field::OneField;
pub use part::TimePart;
pub use plan::TimePlan;
pub use stride::Stride;
pub use window_steps::WindowSteps;
