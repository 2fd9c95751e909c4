//! Remembers releases and answers look-ups and searches; the only writer of state.
