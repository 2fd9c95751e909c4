//! A tar.gz whose bytes depend on nothing but names and contents.

use std::collections::BTreeMap;

/// The most bytes that one stored block holds.
const BLOCK: usize = 0xffff;

/// A file on its way into an archive.
pub(super) struct File {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it may be run.
    pub executable: bool,
}

/// Writes files into an archive, in the order of their names. A name that does not fit is given back.
pub(super) fn write(files: &BTreeMap<String, File>) -> Result<Vec<u8>, String> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, file) in files {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(file.bytes.len() as u64);
        header.set_mode(if file.executable { 0o755 } else { 0o644 });
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        builder.append_data(&mut header, path, file.bytes.as_slice()).map_err(|_| path.clone())?;
    }
    Ok(gzip(&builder.into_inner().map_err(|_| String::new())?))
}

/// RFC 1952 around the stored blocks of RFC 1951: no time, no name, an unknown system.
fn gzip(content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(content.len() + content.len() / BLOCK * 5 + 32);
    bytes.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
    let blocks = content.len().div_ceil(BLOCK).max(1);
    for at in 0..blocks {
        let block = &content[at * BLOCK..content.len().min((at + 1) * BLOCK)];
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        bytes.push(u8::from(at + 1 == blocks));
        bytes.extend(length.to_le_bytes());
        bytes.extend((!length).to_le_bytes());
        bytes.extend(block);
    }
    bytes.extend(crc32fast::hash(content).to_le_bytes());
    let length = u32::try_from(content.len() & 0xffff_ffff).unwrap_or_default();
    bytes.extend(length.to_le_bytes());
    bytes
}
