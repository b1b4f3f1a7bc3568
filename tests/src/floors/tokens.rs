//! The tokens of Rust source text, as far as imports need them.
//!
//! Main functions: [`tokens`] and [`without_tests`]. Comments are left out, and so is what stands in strings
//! and characters.

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// An identifier or keyword.
    Name(String),
    /// `::`.
    Path,
    /// Any other character that is no white space.
    Mark(char),
    /// A string, a character, a number or a lifetime.
    Literal,
}

impl Token {
    /// Whether this is the identifier or keyword `name`.
    pub fn is_name(&self, name: &str) -> bool {
        matches!(self, Token::Name(own) if own == name)
    }

    /// Whether this is the character `mark`.
    pub fn is_mark(&self, mark: char) -> bool {
        *self == Token::Mark(mark)
    }
}

/// The tokens of a source text.
pub fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let mut found = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = at(i);
        match c {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => i = end_of_comment(&chars, i),
            '"' => {
                i = end_of_string(&chars, i);
                found.push(Token::Literal);
            }
            '\'' => {
                i = end_of_character(&chars, i);
                found.push(Token::Literal);
            }
            ':' if at(i + 1) == ':' => {
                i += 2;
                found.push(Token::Path);
            }
            _ if is_word(c) => {
                let from = i;
                while is_word(at(i)) {
                    i += 1;
                }
                let word: String = chars[from..i].iter().collect();
                let is_raw = matches!(&word[..], "r" | "br" | "cr");
                if let Some(end) = end_of_raw_string(&chars, i).filter(|_| is_raw) {
                    i = end;
                    found.push(Token::Literal);
                } else if c.is_ascii_digit() {
                    found.push(Token::Literal);
                } else {
                    found.push(Token::Name(word));
                }
            }
            _ => {
                i += 1;
                if !c.is_whitespace() {
                    found.push(Token::Mark(c));
                }
            }
        }
    }
    found
}

/// The place after a block comment that starts at `i`. Block comments nest.
fn end_of_comment(chars: &[char], mut i: usize) -> usize {
    let mut depth = 0;
    while i < chars.len() {
        match chars[i..] {
            ['/', '*', ..] => (depth, i) = (depth + 1, i + 2),
            ['*', '/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

/// The place after a string whose opening quote is at `i`.
fn end_of_string(chars: &[char], mut i: usize) -> usize {
    i += 1;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

/// The place after a raw string whose `r` ends at `i`; none if no raw string starts there.
fn end_of_raw_string(chars: &[char], i: usize) -> Option<usize> {
    let hashes = chars[i..].iter().take_while(|&&c| c == '#').count();
    if chars.get(i + hashes) != Some(&'"') {
        return None;
    }
    let mut end = i + hashes + 1;
    while end < chars.len() {
        let closes =
            chars[end] == '"' && chars[end + 1..].iter().take_while(|&&c| c == '#').count() >= hashes;
        end += 1;
        if closes {
            return Some(end + hashes);
        }
    }
    Some(end)
}

/// The place after a character or a lifetime whose `'` is at `i`.
fn end_of_character(chars: &[char], i: usize) -> usize {
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    if at(i + 1) == '\\' {
        let closing = chars[(i + 3).min(chars.len())..].iter().position(|&c| c == '\'');
        return closing.map_or(chars.len(), |closing| i + 4 + closing);
    }
    if at(i + 2) == '\'' {
        return i + 3;
    }
    let word = chars[i + 1..].iter().take_while(|&&c| c == '_' || c.is_alphanumeric()).count();
    i + 1 + word
}

/// The tokens without items that are compiled for tests alone: those after `#[cfg(test)]` or `#[cfg(all(test,
/// ..))]`.
///
/// Also returns the names of the modules that such items declare and that lie in files of their own.
pub fn without_tests(tokens: &[Token]) -> (Vec<Token>, Vec<String>) {
    let (mut kept, mut modules) = (Vec::new(), Vec::new());
    let mut i = 0;
    while i < tokens.len() {
        match is_test_attribute(&tokens[i..]) {
            false => {
                kept.push(tokens[i].clone());
                i += 1;
            }
            true => {
                let end = end_of_item(tokens, i);
                let item = &tokens[i..end];
                if let [.., keyword, Token::Name(name), last] = item {
                    if keyword.is_name("mod") && last.is_mark(';') {
                        modules.push(name.clone());
                    }
                }
                i = end;
            }
        }
    }
    (kept, modules)
}

/// Whether the tokens start with an attribute that leaves its item to tests.
fn is_test_attribute(tokens: &[Token]) -> bool {
    let [hash, open, cfg, paren, rest @ ..] = tokens else { return false };
    let is_cfg = hash.is_mark('#') && open.is_mark('[') && cfg.is_name("cfg") && paren.is_mark('(');
    let is_test = match rest {
        [first, second, third, ..] if first.is_name("all") && second.is_mark('(') => third.is_name("test"),
        [first, ..] => first.is_name("test"),
        [] => false,
    };
    is_cfg && is_test
}

/// The place after the item whose first attribute is at `i`: after its `;`, its body or, in a list, its `,`.
fn end_of_item(tokens: &[Token], mut i: usize) -> usize {
    while tokens.get(i).is_some_and(|token| token.is_mark('#')) {
        i = end_of_group(tokens, i + 1);
    }
    let head =
        tokens[i..].iter().take_while(|token| !matches!(token, Token::Mark('{' | ';' | '=' | ':' | ',')));
    let has_keyword = |words: &[&str]| head.clone().any(|token| words.iter().any(|word| token.is_name(word)));
    let is_use = has_keyword(&["use"]);
    // Fields, variants and match arms end with a comma; commas in the head of a function are those of its
    // parameters.
    let is_in_list =
        !has_keyword(&["use", "mod", "fn", "impl", "struct", "enum", "trait", "type", "const", "static"]);
    while i < tokens.len() {
        match &tokens[i] {
            Token::Mark(';') => return i + 1,
            Token::Mark(',') if is_in_list => return i + 1,
            Token::Mark('{') if !is_use => return end_of_group(tokens, i),
            Token::Mark('(' | '[' | '{') => i = end_of_group(tokens, i),
            Token::Mark('}') => return i,
            _ => i += 1,
        }
    }
    i
}

/// The place after the bracket that closes the one at `i`.
fn end_of_group(tokens: &[Token], mut i: usize) -> usize {
    let mut depth = 0;
    while i < tokens.len() {
        match tokens[i] {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        i += 1;
        if depth == 0 {
            break;
        }
    }
    i
}
