//! What a pool and its supervisor say to each other. Both are the same program, so the format has no version.
//!
//! A frame is its length (four bytes, little end first) and its body; a body is a row of numbers (eight bytes) and
//! of texts (a number, then the bytes).

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::time::Duration;

use super::capture::Captured;
use super::command::{Exit, Invocation, Limits, SpawnError, Status};

pub(super) fn write_frame(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    // In one go: two writes would wake the other side twice.
    let mut frame = Vec::with_capacity(body.len() + 4);
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(body);
    to.write_all(&frame)
}

pub(super) fn read_frame(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    let mut body = Vec::new();
    from.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(body) }
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn size(&mut self, size: usize) {
        self.number(size as u64);
    }

    fn signed(&mut self, number: i32) {
        self.number(u64::from_le_bytes(i64::from(number).to_le_bytes()));
    }

    fn text(&mut self, bytes: &[u8]) {
        self.size(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    fn duration(&mut self, duration: Duration) {
        self.number(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    }

    fn pids(&mut self, pids: &[i32]) {
        self.size(pids.len());
        for pid in pids {
            self.signed(*pid);
        }
    }

    fn captured(&mut self, captured: &Captured) {
        self.text(&captured.head);
        self.text(&captured.tail);
        self.number(captured.omitted);
    }
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn size(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    fn signed(&mut self) -> Option<i32> {
        i64::from_le_bytes(self.number()?.to_le_bytes()).try_into().ok()
    }

    fn text(&mut self) -> Option<&'b [u8]> {
        let length = self.size()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }

    fn os(&mut self) -> Option<OsString> {
        Some(OsString::from_vec(self.text()?.to_vec()))
    }

    fn string(&mut self) -> Option<String> {
        String::from_utf8(self.text()?.to_vec()).ok()
    }

    fn duration(&mut self) -> Option<Duration> {
        self.number().map(Duration::from_nanos)
    }

    fn pids(&mut self) -> Option<Vec<i32>> {
        (0..self.size()?).map(|_| self.signed()).collect()
    }

    fn captured(&mut self) -> Option<Captured> {
        Some(Captured { head: self.text()?.to_vec(), tail: self.text()?.to_vec(), omitted: self.number()? })
    }
}

pub(super) fn encode_command(command: &Invocation) -> Vec<u8> {
    let mut out = Writer::default();
    out.size(command.argv.len());
    command.argv.iter().for_each(|arg| out.text(arg.as_bytes()));
    out.text(command.folder.as_os_str().as_bytes());
    out.size(command.env.len());
    for (key, value) in &command.env {
        out.text(key.as_bytes());
        out.text(value.as_bytes());
    }
    let Limits { timeout, grace, settle, head, tail } = command.limits;
    for time in [timeout, grace, settle] {
        out.duration(time);
    }
    out.size(head);
    out.size(tail);
    out.0
}

pub(super) fn decode_command(body: &[u8]) -> Option<Invocation> {
    let mut from = Reader(body);
    let argv = (0..from.size()?).map(|_| from.os()).collect::<Option<_>>()?;
    let folder = from.os()?.into();
    let env = (0..from.size()?).map(|_| Some((from.os()?, from.os()?))).collect::<Option<_>>()?;
    let limits = Limits {
        timeout: from.duration()?,
        grace: from.duration()?,
        settle: from.duration()?,
        head: from.size()?,
        tail: from.size()?,
    };
    from.0.is_empty().then_some(Invocation { argv, folder, env, limits })
}

pub(super) fn encode_result(result: &Result<Exit, SpawnError>) -> Vec<u8> {
    let mut out = Writer::default();
    match result {
        Ok(exit) => {
            out.number(0);
            let (kind, value) = match exit.status {
                Status::Code(code) => (0, code),
                Status::Signal(signal) => (1, signal),
                Status::Alive => (2, 0),
            };
            out.number(kind);
            out.signed(value);
            out.number(exit.timed_out.into());
            out.number(exit.cancelled.into());
            out.duration(exit.duration);
            out.captured(&exit.stdout);
            out.captured(&exit.stderr);
            out.pids(&exit.orphans);
            out.pids(&exit.survivors);
        }
        Err(error) => {
            let (kind, first, second) = match error {
                SpawnError::Empty => (1, "", ""),
                SpawnError::NotFound(program) => (2, program.as_str(), ""),
                SpawnError::NotExecutable(program) => (3, program.as_str(), ""),
                SpawnError::Folder { folder, reason } => (4, folder.as_str(), reason.as_str()),
                SpawnError::System { program, reason } => (5, program.as_str(), reason.as_str()),
                SpawnError::Cancelled => (6, "", ""),
                SpawnError::Supervisor(reason) => (7, reason.as_str(), ""),
                SpawnError::Lost { .. } => (8, "", ""),
            };
            out.number(kind);
            out.text(first.as_bytes());
            out.text(second.as_bytes());
        }
    }
    out.0
}

pub(super) fn decode_result(body: &[u8]) -> Option<Result<Exit, SpawnError>> {
    let mut from = Reader(body);
    let kind = from.number()?;
    if kind > 0 {
        let (first, second) = (from.string()?, from.string()?);
        return Some(Err(match kind {
            1 => SpawnError::Empty,
            2 => SpawnError::NotFound(first),
            3 => SpawnError::NotExecutable(first),
            4 => SpawnError::Folder { folder: first, reason: second },
            5 => SpawnError::System { program: first, reason: second },
            6 => SpawnError::Cancelled,
            7 => SpawnError::Supervisor(first),
            8 => SpawnError::Lost { orphans: Vec::new() },
            _ => return None,
        }));
    }
    let status = match (from.number()?, from.signed()?) {
        (0, code) => Status::Code(code),
        (1, signal) => Status::Signal(signal),
        (2, _) => Status::Alive,
        _ => return None,
    };
    let exit = Exit {
        status,
        timed_out: from.number()? == 1,
        cancelled: from.number()? == 1,
        duration: from.duration()?,
        stdout: from.captured()?,
        stderr: from.captured()?,
        orphans: from.pids()?,
        survivors: from.pids()?,
    };
    from.0.is_empty().then_some(Ok(exit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn results_come_back_as_they_were() {
        let exit = Exit {
            status: Status::Signal(9),
            timed_out: true,
            cancelled: false,
            duration: Duration::from_nanos(1_234_567),
            stdout: Captured { head: vec![0, 255, 10], tail: vec![7], omitted: 1 << 40 },
            stderr: Captured::default(),
            orphans: vec![1, i32::MAX],
            survivors: vec![-1],
        };
        let text = || "größe".to_owned();
        for result in [
            Ok(exit.clone()),
            Ok(Exit { status: Status::Code(-3), cancelled: true, ..exit.clone() }),
            Ok(Exit { status: Status::Alive, ..exit }),
            Err(SpawnError::Empty),
            Err(SpawnError::NotFound(text())),
            Err(SpawnError::NotExecutable(text())),
            Err(SpawnError::Folder { folder: text(), reason: "r".into() }),
            Err(SpawnError::System { program: text(), reason: "r".into() }),
            Err(SpawnError::Cancelled),
            Err(SpawnError::Supervisor(text())),
            Err(SpawnError::Lost { orphans: Vec::new() }),
        ] {
            let body = encode_result(&result);
            assert_eq!(decode_result(&body), Some(result));
            for cut in 0..body.len() {
                assert_eq!(decode_result(&body[..cut]), None, "cut at {cut}");
            }
        }
    }

    #[test]
    fn commands_come_back_as_they_were() {
        let command = Invocation {
            argv: vec![OsString::from_vec(vec![0xff, b'a']), "".into()],
            folder: "/x y".into(),
            env: vec![("A".into(), OsString::from_vec(vec![0xfe]))],
            limits: Limits { timeout: Duration::from_millis(100), ..Limits::default() },
        };
        let mut framed = Vec::new();
        write_frame(&mut framed, &encode_command(&command)).unwrap();
        let back = decode_command(&read_frame(&mut framed.as_slice()).unwrap()).unwrap();
        assert_eq!(format!("{back:?}"), format!("{command:?}"));
        assert!(read_frame(&mut &framed[..framed.len() - 1]).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_command(&bytes);
            let _ = decode_result(&bytes);
        }
    }
}
