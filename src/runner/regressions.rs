//! Retained regressions as a close slice needs them: which case guards which claims and seams. The dialects of
//! regressions.v1 spell these in several ways (contracts.md "Other formats"); all of them are read.

use serde_json::Value;

use super::slice::Retained;

/// Spellings of the claims that a regression threatened.
const CLAIMS: [&str; 4] = ["claim_ids", "claims", "claims_threatened", "threatens"];
/// Spellings of its seams.
const SEAMS: [&str; 2] = ["seam_ids", "seams"];

/// A file that cannot be read as retained regressions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {message}")]
pub struct RegressionsError {
    /// Where in the file (RFC 6901).
    pub pointer: String,
    /// What is wrong there.
    pub message: String,
}

/// The regressions of a file that are not retired. One without a retained case has an empty case name, so that a slice
/// that it belongs to cannot be narrowed.
///
/// # Errors
/// For the first thing that cannot be read.
pub fn read_retained(bytes: &[u8]) -> Result<Vec<Retained>, RegressionsError> {
    let bad = |pointer: &str, message: String| RegressionsError { pointer: pointer.to_owned(), message };
    let root: Value = serde_json::from_slice(bytes).map_err(|error| bad("", format!("not JSON: {error}")))?;
    let Some(list) = root.get("regressions").and_then(Value::as_array) else {
        return Err(bad("/regressions", "there must be a list of regressions".to_owned()));
    };
    let mut retained = Vec::new();
    for (place, regression) in list.iter().enumerate() {
        let at = |key: &str| format!("/regressions/{place}/{key}");
        let text = |key: &str| match regression.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(bad(&at(key), "must be a text".to_owned())),
        };
        let id = match text("regression_id")? {
            Some(id) => id,
            None => text("id")?.ok_or_else(|| bad(&at("regression_id"), "a regression needs an id".to_owned()))?,
        };
        let status = text("status")?.unwrap_or_else(|| "ACTIVE".to_owned());
        match status.as_str() {
            "RETIRED" => continue,
            "ACTIVE" | "EXEMPT" => {}
            _ => return Err(bad(&at("status"), format!("{status:?} is not ACTIVE, EXEMPT or RETIRED"))),
        }
        let names = |keys: &[&str]| -> Result<Vec<String>, RegressionsError> {
            let mut names = Vec::new();
            for key in keys {
                match regression.get(*key) {
                    None | Some(Value::Null) => {}
                    Some(Value::String(name)) => names.push(name.clone()),
                    Some(Value::Array(items)) => {
                        for item in items {
                            let name = item.as_str().ok_or_else(|| bad(&at(key), "must hold texts only".to_owned()))?;
                            names.push(name.to_owned());
                        }
                    }
                    Some(_) => return Err(bad(&at(key), "must be a list of texts".to_owned())),
                }
            }
            Ok(names)
        };
        let case = text("retained_case")?.unwrap_or_default();
        retained.push(Retained { id, case, claims: names(&CLAIMS)?, seams: names(&SEAMS)? });
    }
    Ok(retained)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Vec<Retained>, String> {
        read_retained(format!("{{\"regressions\": [{text}]}}").as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn every_dialect_is_read_and_retired_ones_are_not_retained() {
        let wanted = Retained { id: "R1".into(), case: "c".into(), claims: vec!["k".into()], seams: vec!["s".into()] };
        for text in [
            r#"{"regression_id": "R1", "retained_case": "c", "claim_ids": ["k"], "seam_ids": ["s"]}"#,
            r#"{"id": "R1", "status": "ACTIVE", "retained_case": "c", "claims": ["k"], "seams": ["s"]}"#,
            r#"{"id": "R1", "status": "EXEMPT", "retained_case": "c", "claims_threatened": ["k"], "seams": "s"}"#,
            r#"{"id": "R1", "retained_case": "c", "threatens": ["k"], "seams": ["s"], "status": null}"#,
        ] {
            assert_eq!(one(text).unwrap(), std::slice::from_ref(&wanted), "{text}");
        }
        assert_eq!(one(r#"{"id": "R1", "status": "RETIRED"}"#).unwrap(), []);
        assert_eq!(one(r#"{"id": "R1"}"#).unwrap()[0].case, "");
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_place() {
        let error = |text: &str| one(text).unwrap_err();
        assert_eq!(error("{}"), "/regressions/0/regression_id: a regression needs an id");
        assert_eq!(error(r#"{"id": 1}"#), "/regressions/0/id: must be a text");
        assert!(error(r#"{"id": "a", "status": "active"}"#).contains("not ACTIVE, EXEMPT or RETIRED"));
        assert_eq!(error(r#"{"id": "a", "claims": [1]}"#), "/regressions/0/claims: must hold texts only");
        assert!(read_retained(b"[").unwrap_err().to_string().contains("not JSON"));
        assert!(read_retained(b"{}").unwrap_err().to_string().contains("a list of regressions"));
    }
}
