//! Character classes.

use super::Dialect;
use super::escape::Escaped;
use super::scanner::{EVERYWHERE, Last, Scanner};

/// One member of a class: a character, which can end a range, or a set.
#[derive(Clone, Copy, PartialEq)]
enum Member {
    Character(Option<char>),
    Set,
}

impl Scanner<'_> {
    pub(super) fn class(&mut self) {
        let start = self.at;
        self.step(Last::Atom);
        self.take("^");
        let mut readers = EVERYWHERE;
        if self.take("]") {
            // ECMAScript ends the class here: `[]` holds nothing.
            self.misread(&[Dialect::Ecmascript], start, "a `]` at the start of a class");
            readers = &[Dialect::Re2, Dialect::Python];
        }
        loop {
            match self.peek() {
                None => return self.refuse(readers, start, "a class that does not close"),
                Some(']') => return self.step(Last::Atom),
                Some(_) => self.class_member(),
            }
        }
    }

    fn class_member(&mut self) {
        let start = self.at;
        if self.rest().starts_with("[:") && self.rest().contains(":]") {
            self.at += self.rest().find(":]").map_or(2, |end| end + 2);
            return self.misread(&[Dialect::Python, Dialect::Ecmascript], start, "a POSIX class");
        }
        let low = self.class_atom();
        let after = &self.rest();
        if !after.starts_with('-') || after[1..].starts_with(']') || after.len() == 1 {
            return;
        }
        if low == Member::Set {
            // RE2 and ECMAScript take the hyphen as itself.
            return self.refuse(&[Dialect::Python], start, "a range that starts with a set");
        }
        self.at += 1;
        match (low, self.class_atom()) {
            (_, Member::Set) => {
                self.refuse(&[Dialect::Re2, Dialect::Python], start, "a range that ends with a set");
            }
            (Member::Character(Some(low)), Member::Character(Some(high))) if high < low => {
                self.refuse(EVERYWHERE, start, "a range whose ends are reversed");
            }
            _ => {}
        }
    }

    fn class_atom(&mut self) -> Member {
        match self.peek() {
            Some('\\') => match self.escaped(true) {
                Escaped::Character(character) => Member::Character(character),
                Escaped::Set | Escaped::Boundary | Escaped::End => Member::Set,
            },
            character => {
                self.step(Last::Atom);
                Member::Character(character)
            }
        }
    }
}
