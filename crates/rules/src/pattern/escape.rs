//! What follows a backslash.

use super::Dialect::{Ecmascript, Python, Re2};
use super::scanner::{EVERYWHERE, Last, Scanner};

/// What an escape stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escaped {
    /// A character, where it is known.
    Character(Option<char>),
    /// A set of characters.
    Set,
    /// A word boundary or its opposite.
    Boundary,
    /// An end of the text, which ECMAScript writes in no such way.
    End,
}

impl Scanner<'_> {
    pub(super) fn escape(&mut self) {
        self.last = match self.escaped(false) {
            Escaped::Boundary => Last::Anchor,
            Escaped::End => Last::End,
            Escaped::Character(_) | Escaped::Set => Last::Atom,
        };
    }

    /// Reads an escape, inside a class or outside.
    pub(super) fn escaped(&mut self, in_class: bool) -> Escaped {
        let start = self.at;
        self.at += 1;
        let Some(letter) = self.peek() else {
            self.refuse(EVERYWHERE, start, "a backslash at the end");
            return Escaped::Character(None);
        };
        self.at += letter.len_utf8();
        match letter {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => Escaped::Set,
            'f' => Escaped::Character(Some('\u{c}')),
            'n' => Escaped::Character(Some('\n')),
            'r' => Escaped::Character(Some('\r')),
            't' => Escaped::Character(Some('\t')),
            'v' => Escaped::Character(Some('\u{b}')),
            '0'..='9' => self.digits(start, in_class),
            'x' | 'u' | 'U' | 'N' | 'c' => self.coded(start, letter),
            letter if letter.is_ascii_alphabetic() && in_class => self.letter_in_class(start, letter),
            letter if letter.is_ascii_alphabetic() => self.letter(start, letter),
            letter if letter.is_ascii() => Escaped::Character(Some(letter)),
            letter => {
                self.refuse(&[Re2], start, "an escape of a character beyond ASCII");
                Escaped::Character(Some(letter))
            }
        }
    }

    fn letter(&mut self, start: usize, letter: char) -> Escaped {
        match letter {
            'b' | 'B' => return Escaped::Boundary,
            'A' => self.misread(&[Ecmascript], start, "the anchor `\\A`"),
            'z' => {
                self.refuse(&[Python], start, "the anchor `\\z`");
                self.misread(&[Ecmascript], start, "the anchor `\\z`");
            }
            'Z' => {
                self.refuse(&[Re2], start, "the anchor `\\Z`");
                self.misread(&[Ecmascript], start, "the anchor `\\Z`");
            }
            'k' => self.refuse(&[Re2, Python], start, "a named backreference"),
            'Q' => {
                self.at += self.rest().find("\\E").map_or(self.rest().len(), |end| end + 2);
                self.refuse(&[Python], start, "a quotation `\\Q…\\E`");
                self.misread(&[Ecmascript], start, "a quotation `\\Q…\\E`");
                return Escaped::Character(None);
            }
            letter => return self.letter_in_class(start, letter),
        }
        if letter == 'k' { Escaped::Character(None) } else { Escaped::End }
    }

    fn letter_in_class(&mut self, start: usize, letter: char) -> Escaped {
        match letter {
            'a' => self.misread(&[Ecmascript], start, "the escape `\\a`"),
            'b' => {
                self.refuse(&[Re2], start, "a `\\b` in a class");
                return Escaped::Character(Some('\u{8}'));
            }
            'p' | 'P' => {
                let braced = self.rest().starts_with('{').then(|| self.rest().find('}')).flatten();
                self.at += braced.map_or(self.peek().map_or(0, char::len_utf8), |end| end + 1);
                self.refuse(&[Python], start, "a Unicode property");
                self.misread(&[Ecmascript], start, "a Unicode property");
                return Escaped::Set;
            }
            _ => {
                self.refuse(&[Re2, Python], start, "an escape without meaning");
                self.misread(&[Ecmascript], start, "an escape without meaning");
            }
        }
        Escaped::Character(None)
    }

    /// `\0`, octal codes and backreferences.
    fn digits(&mut self, start: usize, in_class: bool) -> Escaped {
        let digits = &self.text[start + 1..];
        let octal = digits.bytes().take(3).take_while(|byte| (b'0'..b'8').contains(byte)).count();
        let is_octal = digits.starts_with('0') || octal == 3 || (in_class && octal > 0);
        if is_octal {
            self.at = start + 1 + octal;
            let code = u32::from_str_radix(&digits[..octal], 8).unwrap_or_default();
            let is_re2 = octal > 1 || digits.starts_with('0');
            if !is_re2 {
                self.refuse(&[Re2], start, "an octal escape");
            }
            if code > 0o377 {
                self.refuse(&[Python], start, "an octal escape over 377");
            }
            return Escaped::Character(char::from_u32(code));
        }
        if in_class {
            self.refuse(&[Re2, Python], start, "an escape without meaning");
            return Escaped::Character(None);
        }
        let length = digits.bytes().take(2).take_while(u8::is_ascii_digit).count();
        self.at = start + 1 + length;
        let number: usize = digits[..length].parse().unwrap_or_default();
        self.refuse(&[Re2], start, "a backreference");
        let open = self.open.iter().any(|group| group.number == Some(number));
        if number > self.groups || open {
            self.refuse(&[Python], start, "a backreference to a group that is not closed before it");
        }
        Escaped::Character(None)
    }

    /// Characters by their code: `\xhh`, `\x{h…}`, `\uhhhh`, `\Uhhhhhhhh`, `\N{…}`, `\cX`.
    fn coded(&mut self, start: usize, letter: char) -> Escaped {
        let rest = self.rest();
        let hex = rest.bytes().take(8).take_while(u8::is_ascii_hexdigit).count();
        let width = match letter {
            'x' if rest.starts_with('{') => {
                let end = rest.find('}').map_or(rest.len(), |end| end + 1);
                self.at += end;
                self.refuse(&[Python], start, "a code in braces");
                self.misread(&[Ecmascript], start, "a code in braces");
                return Escaped::Character(None);
            }
            'x' => 2,
            'u' => 4,
            'U' => 8,
            'N' => {
                self.at += rest.find('}').filter(|_| rest.starts_with('{')).map_or(0, |end| end + 1);
                self.refuse(&[Re2], start, "a character by its name");
                self.misread(&[Ecmascript], start, "a character by its name");
                return Escaped::Character(None);
            }
            _ => {
                self.at += usize::from(rest.starts_with(|c: char| c.is_ascii_alphabetic()));
                self.refuse(&[Re2, Python], start, "a control escape");
                return Escaped::Character(None);
            }
        };
        if letter != 'x' {
            self.refuse(&[Re2], start, "a code that starts with `\\u`");
        }
        if letter == 'U' {
            self.misread(&[Ecmascript], start, "a code that starts with `\\U`");
        }
        if hex < width {
            self.refuse(&[Re2, Python], start, "a code with too few digits");
            self.misread(&[Ecmascript], start, "a code with too few digits");
            return Escaped::Character(None);
        }
        let code = u32::from_str_radix(&rest[..width], 16).ok();
        self.at += width;
        Escaped::Character(code.and_then(char::from_u32).filter(|_| letter != 'U'))
    }
}
