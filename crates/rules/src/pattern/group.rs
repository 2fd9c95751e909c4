//! Groups: capturing, named, looking around, setting flags.

use super::Dialect::{Ecmascript, Python, Re2};
use super::scanner::{EVERYWHERE, Last, Open, Scanner};

impl<'p> Scanner<'p> {
    pub(super) fn group(&mut self) {
        let start = self.at;
        let before = self.last;
        self.step(Last::Nothing);
        if !self.take("?") {
            return self.open_capture(start);
        }
        if self.take(":") {
            self.open(start, None, false);
        } else if self.take("=") || self.take("!") {
            self.refuse(&[Re2], start, "a lookahead");
            self.open(start, None, false);
        } else if self.take("<=") || self.take("<!") {
            self.refuse(&[Re2], start, "a lookbehind");
            self.open(start, None, true);
        } else if self.take("P<") {
            self.refuse(&[Ecmascript], start, "a group named with `(?P<`");
            self.named(start);
        } else if self.take("<") {
            self.refuse(&[Python], start, "a group named with `(?<`");
            self.named(start);
        } else if self.take(">") {
            self.refuse(&[Re2, Ecmascript], start, "an atomic group");
            self.open(start, None, false);
        } else {
            self.special(start, before);
        }
    }

    fn open(&mut self, start: usize, number: Option<usize>, lookbehind: bool) {
        self.open.push(Open { start, number, lookbehind });
    }

    fn open_capture(&mut self, start: usize) {
        self.groups += 1;
        self.open(start, Some(self.groups), false);
    }

    fn named(&mut self, start: usize) {
        let rest: &'p str = self.rest();
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        self.at += length;
        let name = &rest[..length];
        let is_name = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
        if !self.take(">") || !is_name {
            self.refuse(EVERYWHERE, start, "a group whose name is none");
        } else if !self.names.insert(name) {
            self.refuse(&[Re2, Python], start, "a second group of that name");
        }
        self.open_capture(start);
    }

    /// Comments, conditions, named references and flags.
    fn special(&mut self, start: usize, before: Last) {
        if self.take("#") {
            let Some(end) = self.rest().find(')') else { return self.open(start, None, false) };
            self.at += end + 1;
            self.last = before;
            return self.refuse(&[Re2, Ecmascript], start, "a comment");
        }
        if self.take("P=") {
            let end = self.rest().find(')').unwrap_or(self.rest().len());
            let known = self.names.contains(&self.rest()[..end]);
            self.at = (self.at + end + 1).min(self.text.len());
            self.last = Last::Atom;
            self.refuse(&[Re2, Ecmascript], start, "a named backreference");
            if !known {
                self.refuse(&[Python], start, "a backreference to a name that no group has");
            }
            return;
        }
        if self.take("(") {
            self.at += self.rest().find(')').map_or(self.rest().len(), |end| end + 1);
            self.refuse(&[Re2, Ecmascript], start, "a condition");
            return self.open(start, None, false);
        }
        self.flags(start, before);
    }

    fn flags(&mut self, start: usize, before: Last) {
        let rest: &'p str = self.rest();
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphabetic() || *byte == b'-').count();
        let flags = &rest[..length];
        self.at += length;
        let scoped = self.take(":");
        if !scoped && !self.take(")") {
            self.refuse(EVERYWHERE, start, "a group of an unknown kind");
            return self.open(start, None, false);
        }
        self.refuse(&[Ecmascript], start, "inline flags");
        let (on, off) = flags.split_once('-').unwrap_or((flags, ""));
        let all_in = |set: &str| on.chars().chain(off.chars()).all(|flag| set.contains(flag));
        if !all_in("imsU") || flags.ends_with('-') {
            self.refuse(&[Re2], start, "inline flags");
        }
        let at_start = start == self.flags_end;
        if !scoped && at_start {
            self.flags_end = self.at;
        }
        if !all_in("aimsux") || flags.is_empty() || flags.ends_with('-') {
            self.refuse(&[Python], start, "inline flags");
        } else if !scoped && (!at_start || flags.contains('-')) {
            self.refuse(&[Python], start, "inline flags that do not stand at the start");
        }
        if scoped {
            self.open(start, None, false);
        } else {
            self.last = before;
        }
    }
}
