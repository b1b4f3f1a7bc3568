//! One solution of each exercise.

pub mod exercise_1;
pub mod exercise_10;
pub mod exercise_11;
pub mod exercise_12;
pub mod exercise_13;
pub mod exercise_14;
pub mod exercise_15;
pub mod exercise_16;
pub mod exercise_17;
pub mod exercise_18;
pub mod exercise_19;
pub mod exercise_2;
pub mod exercise_20;
pub mod exercise_21;
pub mod exercise_3;
pub mod exercise_4;
pub mod exercise_5;
pub mod exercise_6;
pub mod exercise_7;
pub mod exercise_8;
pub mod exercise_9;
