//! `Random`: the Mersenne Twister (MT19937), with Ruby's seeding and ranges.

use super::{BigInt, RubyError, RubyInteger as _};

const SIZE: usize = 624;
const SHIFT: usize = 397;

/// Ruby's `Random.new(seed)`. The same seed gives the same numbers as in Ruby.
#[derive(Debug, Clone)]
pub struct Random {
    state: Box<[u32; SIZE]>,
    next: usize,
}

impl Random {
    /// Seeds with the absolute value of an integer of any size.
    pub fn new(seed: &BigInt) -> Self {
        let words = seed.magnitude().to_u32_digits();
        // Ruby takes a leading word of 1 for a guard of its own.
        let words = match words.as_slice() {
            [rest @ .., 1] if !rest.is_empty() => rest,
            all => all,
        };
        match words {
            [] => Self::from_word(0),
            [word] => Self::from_word(*word),
            many => Self::from_words(many),
        }
    }

    /// Seeds with a number in hexadecimal, such as a digest.
    pub fn from_hex(digits: &str) -> Self {
        Self::new(&BigInt::from_digits(false, digits, 16))
    }

    fn from_word(seed: u32) -> Self {
        let mut state = Box::new([0; SIZE]);
        state[0] = seed;
        for i in 1..SIZE {
            let before = state[i - 1];
            state[i] =
                1_812_433_253u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(i as u32);
        }
        Self { state, next: SIZE }
    }

    fn from_words(seed: &[u32]) -> Self {
        let mut random = Self::from_word(19_650_218);
        let state = &mut random.state;
        let (mut i, mut j) = (1, 0);
        let mix = |state: &[u32; SIZE], i: usize, factor: u32| {
            state[i] ^ (state[i - 1] ^ (state[i - 1] >> 30)).wrapping_mul(factor)
        };
        for _ in 0..SIZE.max(seed.len()) {
            state[i] = mix(state, i, 1_664_525).wrapping_add(seed[j]).wrapping_add(j as u32);
            i += 1;
            j = (j + 1) % seed.len();
            if i >= SIZE {
                state[0] = state[SIZE - 1];
                i = 1;
            }
        }
        for _ in 1..SIZE {
            state[i] = mix(state, i, 1_566_083_941).wrapping_sub(i as u32);
            i += 1;
            if i >= SIZE {
                state[0] = state[SIZE - 1];
                i = 1;
            }
        }
        state[0] = 0x8000_0000;
        random
    }

    /// Returns the next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.next == SIZE {
            self.refill();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    fn refill(&mut self) {
        for i in 0..SIZE {
            let mixed = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % SIZE] & 0x7fff_ffff);
            let twist = if mixed & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + SHIFT) % SIZE] ^ (mixed >> 1) ^ twist;
        }
        self.next = 0;
    }

    /// Returns an integer from 0 to `max - 1`, as `rand(max)` does.
    pub fn below(&mut self, max: i64) -> Result<i64, RubyError> {
        match u64::try_from(max) {
            Ok(max @ 1..) => Ok(self.up_to(max - 1) as i64),
            _ => Err(RubyError::argument(format!("invalid argument - {max}"))),
        }
    }

    /// Returns an integer from 0 to `limit`. Larger numbers are discarded, so that all are equally likely.
    pub fn up_to(&mut self, limit: u64) -> u64 {
        if limit == 0 {
            return 0;
        }
        let mask = u64::MAX >> limit.leading_zeros();
        if let Ok(mask) = u32::try_from(mask) {
            loop {
                let value = u64::from(self.next_u32() & mask);
                if value <= limit {
                    return value;
                }
            }
        }
        loop {
            let high = (u64::from(self.next_u32()) << 32) & mask;
            if high > limit {
                continue;
            }
            let value = high | u64::from(self.next_u32());
            if value <= limit {
                return value;
            }
        }
    }

    /// Returns a number from 0 up to, but not including, 1, as `rand` does.
    pub fn float(&mut self) -> f64 {
        let high = f64::from(self.next_u32() >> 5);
        let low = f64::from(self.next_u32() >> 6);
        (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
    }

    /// Shuffles, as `Array#shuffle(random: self)` does.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (0..items.len()).rev() {
            let j = self.up_to(i as u64) as usize;
            items.swap(i, j);
        }
    }
}
