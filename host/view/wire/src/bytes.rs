//! Numbers and texts as bytes.

/// Bytes that are still to be read.
pub(crate) struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    pub fn word(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn words<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut words = [0; N];
        for word in &mut words {
            *word = self.word()?;
        }
        Some(words)
    }

    pub fn long(&mut self) -> Option<i64> {
        self.take().map(i64::from_le_bytes)
    }

    pub fn single(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes)
    }

    pub fn double(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes)
    }

    pub fn singles(&mut self, count: u64) -> Option<Vec<f32>> {
        let length = usize::try_from(count.checked_mul(4)?).ok()?;
        let (numbers, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(numbers.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }

    pub fn text(&mut self) -> Option<String> {
        let length = self.word()?;
        let (text, rest) = self.0.split_at_checked(length as usize)?;
        self.0 = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// As many as the next word says, each of `least` bytes or more.
    pub fn list<T>(&mut self, least: usize, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.word()? as usize;
        if count > self.0.len() / least {
            return None;
        }
        (0..count).map(|_| read(self)).collect()
    }
}

/// Bytes that are being written.
#[derive(Default)]
pub(crate) struct Put(pub Vec<u8>);

impl Put {
    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// The first byte of what follows.
    pub fn tag(&mut self, tag: impl Into<u8>) -> &mut Self {
        self.byte(tag.into())
    }

    pub fn byte(&mut self, byte: u8) -> &mut Self {
        self.put(&[byte])
    }

    pub fn word(&mut self, word: u32) -> &mut Self {
        self.put(&word.to_le_bytes())
    }

    pub fn words(&mut self, words: &[u32]) -> &mut Self {
        for word in words {
            self.word(*word);
        }
        self
    }

    pub fn long(&mut self, long: i64) -> &mut Self {
        self.put(&long.to_le_bytes())
    }

    pub fn double(&mut self, number: f64) -> &mut Self {
        self.put(&number.to_le_bytes())
    }

    pub fn singles(&mut self, numbers: &[f32]) -> &mut Self {
        self.0.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.word(text.len() as u32).put(text.as_bytes())
    }
}
