//! The files of a pack that came without them, as its releases hold them.

use pack::skill::SKILL_FILE;
use pack::tree::{Entry, Tree, Unreadable, folder};

/// The files of several releases, the first that has one giving it.
///
/// What none of them has may well be there all the same, and is no missing file; but a folder with a skill is whole.
#[derive(Default)]
pub struct Borrowed {
    trees: Vec<Box<dyn Tree>>,
}

impl Borrowed {
    /// Adds the files of a release behind those that are there.
    pub fn add(&mut self, tree: Box<dyn Tree>) {
        self.trees.push(tree);
    }

    fn first<T>(
        &self,
        path: &str,
        ask: &dyn Fn(&dyn Tree) -> Result<T, Unreadable>,
    ) -> Result<T, Unreadable> {
        for tree in &self.trees {
            match ask(tree.as_ref()) {
                Err(Unreadable::Missing) if !is_in_skill(tree.as_ref(), path) => {}
                answer => return answer,
            }
        }
        Err(Unreadable::Failed("it did not come with the pack".to_owned()))
    }
}

/// Whether a folder around `path` holds a skill: all of it came with the release.
fn is_in_skill(tree: &dyn Tree, path: &str) -> bool {
    let mut around = folder(path);
    while !around.is_empty() {
        if tree.read(&format!("{around}/{SKILL_FILE}")).is_ok() {
            return true;
        }
        around = folder(around);
    }
    false
}

impl Tree for Borrowed {
    fn read(&self, path: &str) -> Result<Vec<u8>, Unreadable> {
        self.first(path, &|tree| tree.read(path))
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>, Unreadable> {
        self.first(path, &|tree| tree.list(path))
    }
}

#[cfg(test)]
mod tests {
    use pack::tree::MemoryTree;

    use super::*;

    #[test]
    fn what_no_release_has_is_unknown_and_a_skill_is_whole() {
        let mut release = MemoryTree::default();
        release.insert("skills/a/SKILL.md", "a");
        let mut older = MemoryTree::default();
        older.insert("skills/a/notes.md", "of another release");
        older.insert("skills/b/SKILL.md", "b");
        let mut files = Borrowed::default();
        files.add(Box::new(release));
        files.add(Box::new(older));
        assert_eq!(files.read("skills/a/SKILL.md"), Ok(b"a".to_vec()));
        assert_eq!(files.read("skills/a/notes.md"), Err(Unreadable::Missing));
        assert_eq!(files.read("skills/b/SKILL.md"), Ok(b"b".to_vec()));
        assert!(matches!(files.list("skills/c"), Err(Unreadable::Failed(_))));
        assert!(matches!(Borrowed::default().read("x"), Err(Unreadable::Failed(_))));
    }
}
