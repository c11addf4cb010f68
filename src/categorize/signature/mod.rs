//! temporary until the normalizer is merged
use crate::model::{CaseName, Digest};
pub const VERSION: &str = "sig1";
pub fn case_signature<'a>(n: &CaseName, p: impl Iterator<Item = &'a str>) -> Digest {
    Digest::of(format!("{}{:?}", n.as_str(), p.collect::<Vec<_>>()).as_bytes())
}
pub fn problems_digest<'a>(p: impl Iterator<Item = &'a str>) -> Digest {
    Digest::of(format!("{:?}", p.collect::<Vec<_>>()).as_bytes())
}
