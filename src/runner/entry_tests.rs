//! What is taken for a constant, for plumbing, and for the product.

use super::Seen;

fn seen(argv: &[&str]) -> Seen {
    Seen::of(&argv.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
}

#[test]
fn constants_are_trivial_however_they_are_wrapped() {
    for argv in [
        &["echo", "ok"][..],
        &["/bin/echo", "ok"],
        &["true"],
        &["bash", "-c", "echo ok; exit 0"],
        &["bash", "-lc", "set -e; cd ..\nif true; then printf '%s' ok; fi"],
        &["sh", "-c", "[ 1 = 1 ] && exit 3"],
        &["env", "A=1", "/bin/sh", "-ec", "echo \"$(echo ok)\""],
        &["bash", "-c", ""],
        &["python3", "-c", "print('ok')"],
        &["python3.12", "-c", "import sys; print(\"ok\"); sys.exit(0)"],
        &["node", "-e", "console.log('ok'); process.exit(0)"],
        &["cat", "expected.txt"],
        &["python3", "--version"],
        &["python3"],
        &["cat", "<<E"],
        &["find", "/dev/null", "-exec", "echo", "ok", ";"],
    ] {
        assert!(seen(argv).is_trivial(), "{argv:?}");
    }
    for argv in [
        &["./run.sh"][..],
        &["bash", "-c", "python3 <<E\nimport shop\nE"],
        &["bash", "run.sh"],
        &["bash", "-c", "echo start; ./run.sh; echo end"],
        &["bash", "-c", "echo $(./run.sh)"],
        &["python3", "check.py"],
        &["python3", "-c", "import shop; print(shop.total())"],
        &["python3", "-m", "pytest"],
        &["grep", "-q", "x", "src.rs"],
        &["curl", "http://localhost/"],
        &["find", "shop", "-name", "*.py"],
        &["find", "shop", "-exec", "./shop", "check", "{}", ";"],
    ] {
        assert!(!seen(argv).is_trivial(), "{argv:?}");
    }
}

#[test]
fn plumbing_is_no_entry_point() {
    assert!(!seen(&["bash", "-c", "mkdir -p out && cp a out | grep x && rm -f y"]).reaches_entry_point());
    assert!(!seen(&["echo", "./run.sh"]).reaches_entry_point());
    for argv in [&["bash", "-c", "mkdir -p out; ../run.sh x | jq ."][..], &["cargo", "test"], &["uv", "run", "a"]] {
        assert!(seen(argv).reaches_entry_point(), "{argv:?}");
    }
}

#[test]
fn stand_ins_are_seen_in_paths_and_options() {
    for argv in [
        &["./run.sh", "fixtures/a.json"][..],
        &["./run.sh", "../tests/fixtures/a.json"],
        &["./run.sh", "--input=tests/stubs/a"],
        &["bash", "-c", "./run.sh \"$PWD/mocks/a\""],
        &["./run.sh", "--mock"],
        &["./run.sh", "--fixture=a"],
        &["python3", "-c", "open('tests/fixtures/a')"],
    ] {
        assert!(seen(argv).stub().is_some(), "{argv:?}");
    }
    for argv in [&["./run.sh", "fixtures"][..], &["./run.sh", "prefixtures/a"], &["./mocking.sh"], &["a", "mock"]] {
        assert!(seen(argv).stub().is_none(), "{argv:?}");
    }
}

fn script(script: &str) -> Seen {
    seen(&["bash", "-c", script])
}

#[test]
fn the_grammar_of_a_shell_is_no_product() {
    for constant in [
        "for i in 1; do echo ok; done",
        "for ((i = 0; i < 3; i++)); do echo $i; done",
        "case x in x) echo ok;; esac",
        "case $1 in (a|b) echo a;; *) echo ok;; esac",
        "select x in a b; do echo $x; done",
        "while true; do echo ok; break; done",
        "until false; do echo ok; done",
        "f() { echo ok; }; f",
        "function f { echo ok; }; f a b",
        "f() ( echo ok ); export -f f; f",
        "declare x=1; echo ok",
        "unset x; read y; ((1 + 1)); let z=1; local a; readonly b=1; shift; mapfile c; hash -r; alias d=e; type f",
        "umask 022; shopt -s extglob; pushd .; popd; kill -0 $$; a[0]=1; b=(1 2); c+=x; echo ${a[0]}",
        "x=echo; $x ok",
        "x=\"echo\"; y=\"$x\"; \"$y\" ok",
        "A=\"some words\" echo ok",
        "command -v bash",
        "command -v ./shop && echo ok",
        "eval 'echo' ok; cmd='echo ok'; eval \"$cmd\"; bash -c \"$cmd\"",
        "$(which echo) ok; `echo printf` ok",
        "$'echo' ok; \\echo ok; ec''ho ok",
        "[[ a == b || c > d ]] && echo ok; { echo ok; } > out; (echo ok) 2>&1",
        "trap 'echo bye' EXIT; time -p echo ok",
        "echo a | while read -r x; do printf '%s' \"$x\"; done",
        "cat <<E\n./shop total\nE",
        "coproc echo ok; ! true",
    ] {
        assert!(script(constant).is_trivial(), "{constant}\n{:?}", script(constant));
    }
    assert!(seen(&["bash", "-c", "\"$@\"", "_", "echo", "ok"]).is_trivial());
    assert!(seen(&["bash", "-c", "$1 $2", "_", "echo", "ok"]).is_trivial());
}

#[test]
fn what_a_script_may_reach_is_the_product() {
    for working in [
        "for i in 1 2; do ./shop $i; done",
        "for i in $(./shop list); do echo $i; done",
        "case $x in a) ./shop;; esac",
        "case a in a) ./shop;; esac",
        "while read -r x; do ./shop $x; done < list",
        "f() { ./shop \"$1\"; }; f total",
        "main() { helper; }\nhelper() {\n ./shop total\n}\nmain \"$@\"",
        "f() { ./shop; }; trap f EXIT; echo ok",
        "f() { ./shop; }; export -f f; seq 3 | xargs -n1 bash -c 'f \"$1\"' _",
        "x=./shop; $x ok",
        "BIN=\"$PWD/shop\"; \"$BIN\" total",
        "\"${PYTHON:-python3}\" check.py",
        "$(which shop) total",
        "$RUNNER total",
        "out=$(./shop total); [ \"$out\" = 5 ]",
        "out=\"$(./shop total)\"; echo \"$out\"",
        "./shop || exit 1; echo ok",
        "if ./shop; then echo ok; fi",
        "if [ -d x ]; then exit 0; fi; ./shop",
        "test -f x || exit 0; ./shop",
        "(exit 0); ./shop",
        "true | exit 0; ./shop",
        "exit 0 & ./shop",
        "false || ./shop",
        "true && ./shop",
        "! false && ./shop",
        "set +e; false; ./shop",
        "set -e; false || true; ./shop",
        "exec 2>&1; ./shop",
        "exec ./shop",
        "trap './shop stop' EXIT; echo ok",
        "set -e; trap 'rm x' EXIT; ./shop",
        "cat <<E\n$(./shop total)\nE",
        "cat <<E | ./shop\nx\nE",
        "bash <(./shop script)",
        "diff <(./shop a) <(./shop b)",
        "bash < run.sh",
        "cat run.sh | sh",
        "echo './shop total' | sh",
        "bash <<< './shop'",
        "bash <<'E'\n./shop total\nE",
        "a=($(./shop list)); echo ${a[0]}",
        "echo $(( $(./shop total) + 1 ))",
        "find . -name '*.json' -exec ./shop {} \\;",
        "f() { return 1; }; f || true; ./shop",
        "for i in 1; do break; done; ./shop",
        "while true; do ./shop; exit 0; done",
        "if true; then ./shop; else echo no; fi",
        "{ ./shop; } 2>&1 | grep x",
        "x=$(mktemp); ./shop > \"$x\"; cat \"$x\"",
        "A=\"b c\" ./shop",
        "git status --short",
    ] {
        assert!(script(working).reaches_entry_point(), "{working}\n{:?}", script(working));
    }
}

#[test]
fn what_is_named_and_never_reached_does_not_count() {
    for dead in [
        "exit 0; ./shop",
        "exit; ./shop",
        "true || ./shop total",
        ": || ./shop; echo a || ./shop",
        "false && ./shop",
        "! true && ./shop",
        "true && false && ./shop",
        "if false; then ./shop; fi; echo ok",
        "if true; then echo ok; else ./shop; fi",
        "if [ 1 = 2 ]; then ./shop; elif false; then ./shop; fi",
        "[ 1 = 2 ] && ./shop; [[ a == b ]] && ./shop; test 1 -gt 2 && ./shop; ((0)) && ./shop",
        "x=1; [ \"$x\" = 2 ] && ./shop",
        "while false; do ./shop; done; until true; do ./shop; done",
        "for i in; do ./shop; done",
        "case x in y) ./shop;; esac",
        "f() { ./shop; }; echo ok",
        "f() { return 0; ./shop; }; f",
        "f() { exit 0; }; f; ./shop",
        "exec echo ok; ./shop",
        "{ exit 0; }; ./shop",
        "if true; then exit 0; fi; ./shop",
        "while true; do break; ./shop; done",
        "set -e; false; ./shop",
        "command exit 0; ./shop",
        "eval 'exit 0'; ./shop",
        "bash -n -c './shop'",
        "true || { ./shop; }; (exit 0; ./shop)",
    ] {
        assert!(script(dead).is_trivial(), "{dead}\n{:?}", script(dead));
    }
}

#[test]
fn more_wrappers_are_seen_through() {
    for argv in [
        &["env", "-S", "echo ok"][..],
        &["env", "-Secho ok"],
        &["env", "-iS", "A=b echo ok"],
        &["env", "--split-string=echo ok"],
        &["env", "--split-string", "bash -c 'echo ok'"],
        &["unshare", "echo", "ok"],
        &["unshare", "--pid", "--fork", "setsid", "echo", "ok"],
        &["setpriv", "--no-new-privs", "echo", "ok"],
        &["setpriv", "--reuid", "1000", "--", "echo", "ok"],
        &["busybox", "echo", "ok"],
        &["flock", "lock", "echo", "ok"],
        &["flock", "-w", "5", "lock", "-c", "echo ok"],
        &["script", "-qc", "echo ok", "/dev/null"],
        &["script", "-q", "-c", "echo ok"],
        &["taskset", "-c", "0", "echo", "ok"],
        &["chrt", "-f", "5", "echo", "ok"],
        &["time", "-o", "f", "-f", "%e", "echo", "ok"],
        &["fish", "-c", "echo ok"],
        &["rbash", "-c", "echo ok"],
        &["mksh", "-c", "echo ok"],
        &["nsenter", "-t", "1", "echo", "ok"],
        &["chroot", "/", "echo", "ok"],
        &["runuser", "-u", "me", "--", "echo", "ok"],
        &["runuser", "-c", "echo ok", "me"],
        &["su", "-c", "echo ok"],
        &["su", "me", "-c", "echo ok"],
        &["parallel", "-j", "2", "echo", ":::", "a", "b"],
        &["watch", "-n", "1", "echo ok"],
        &["setarch", "x86_64", "echo", "ok"],
        &["strace", "-f", "-o", "t", "echo", "ok"],
        &["uv", "run", "echo", "ok"],
        &["bash", "-c", "bash <<< 'echo ok'"],
        &["bash", "-c", "echo 'echo ok' | sh"],
        &["bash", "-c", "printf '%s\\n' 'echo ok' | bash -s"],
        &["bash", "-c", "sh <<E\necho ok\nE"],
        &["bash", "-c", "cat <<'E' | sh\necho ok\nE"],
        &["bash", "-c", "bash <(echo 'echo ok')"],
        &["bash", "-c", "echo 'print(1)' | python3 -"],
        &["bash", "-c", ". /dev/stdin <<< 'echo ok'"],
        &["find", "/dev/null", "-exec", "echo", "ok", ";"],
        &["bash"],
        &["bash", "--version"],
        &["unshare"],
    ] {
        assert!(!seen(argv).reaches_entry_point(), "{argv:?}\n{:?}", seen(argv));
    }
    for argv in [
        &["env", "-S", "./shop total"][..],
        &["unshare", "-r", "./shop"],
        &["flock", "lock", "./shop"],
        &["flock", "lock", "-c", "./shop"],
        &["script", "-qc", "./shop", "/dev/null"],
        &["su", "me", "-c", "./shop"],
        &["parallel", "./shop", ":::", "a"],
        &["uv", "run", "--group", "test", "pytest"],
        &["uv", "run", "check.py"],
        &["npm", "test"],
        &["busybox", "sh", "run.sh"],
    ] {
        assert!(seen(argv).reaches_entry_point(), "{argv:?}\n{:?}", seen(argv));
    }
}

#[test]
fn code_that_prints_constants_is_constant() {
    for argv in [
        &["python3", "-c", "print('o'+'k')"][..],
        &["python3", "-c", "print(f'ok')"],
        &["python3", "-c", "x = 'ok'; print(f'{x!r} {1 + 1:>4}')"],
        &["python3", "-cprint('ok')"],
        &["python3", "-Ic", "print('ok')"],
        &["python3", "-Scprint('ok')"],
        &["python3", "-W", "error", "-c", "print('ok')"],
        &["python3", "-c", "import os; print('ok')"],
        &["python3", "-c", "import os, sys\nfor i in range(3):\n    sys.stdout.write('ok')\nsys.exit(0)"],
        &["python3", "-c", "raise SystemExit('ok')"],
        &["python3", "-c", "print(\"\"\"import shop\"\"\") # import shop"],
        &["python3", "-c", "exec(\"print('ok')\")"],
        &["python3", "-c", "import os; os.system('echo ok')"],
        &["python3", "-c", "import subprocess; subprocess.run(['echo', 'ok'], check=True)"],
        &["python3", "-c", "print('ok'.upper()); print(' '.join(['a', 'b']))"],
        &["python3", "-m", "this"],
        &["perl", "-le", "print \"ok\""],
        &["perl", "-E", "say 'ok'"],
        &["perl", "-Mstrict", "-e", "my $x = 'ok'; print $x; exit 0"],
        &["node", "--eval=console.log('ok')"],
        &["node", "-e", "console.info(`o${'k'}`)"],
        &["node", "-pe", "'ok'"],
        &["node", "-e", "process.stdout.write('ok'); process.exitCode = 0 // done"],
        &["node", "-e", "require('child_process').execSync('echo ok', {stdio: 'inherit'})"],
        &["php", "-r", "echo 'ok';"],
        &["ruby", "-e", "puts \"ok #{1 + 1}\""],
        &["ruby", "-e", "puts `echo ok`"],
        &["lua", "-e", "print('ok')"],
        &["deno", "eval", "console.log('ok')"],
    ] {
        assert!(seen(argv).is_trivial(), "{argv:?}");
    }
    for argv in [
        &["python3", "-c", "import shop"][..],
        &["python3", "-c", "print(f'{shop.total()}')"],
        &["python3", "-c", "from shop import total as print; print(1)"],
        &["python3", "-c", "import json; print(json.dumps([1, 2]))"],
        &["python3", "-c", "import sys; open('out.json', 'w').write(sys.argv[1])"],
        &["python3", "-c", "import subprocess; subprocess.run(['./shop', 'total'])"],
        &["python3", "-c", "import os; os.system('./shop total')"],
        &["python3", "-c", "exec(open('shop.py').read())"],
        &["python3", "-c", "exec('import shop')"],
        &["python3", "-m", "shop"],
        &["python3", "-I", "check.py"],
        &["perl", "-Ilib", "-MShop", "-e", "print 1"],
        &["perl", "-e", "print `./shop total`"],
        &["node", "-e", "console.log(require('./shop').total())"],
        &["node", "-e", "console.log(`${shop()}`)"],
        &["node", "-r", "./shop.js", "-e", "console.log(1)"],
        &["ruby", "-e", "puts `./shop total`"],
        &["ruby", "-r./shop", "-e", "puts 1"],
        &["php", "-r", "require 'shop.php'; echo total();"],
    ] {
        assert!(!seen(argv).is_trivial(), "{argv:?}");
    }
}

#[test]
fn programs_of_the_system_are_no_product() {
    for argv in [
        &["uname"][..],
        &["id", "-u"],
        &["env"],
        &["env", "-i"],
        &["git", "--version"],
        &["whoami"],
        &["which", "bash"],
        &["hostname"],
        &["printenv", "PATH"],
        &["tac", "README.md"],
        &["nl", "README.md"],
        &["base64", "README.md"],
        &["expr", "1", "+", "1"],
        &["cargo", "--version"],
        &["/usr/bin/curl", "--help"],
        &["node", "-v"],
        &["go", "version"],
        &["nproc"],
        &["timeout"],
    ] {
        assert!(seen(argv).is_trivial(), "{argv:?}");
    }
    for argv in [&["./shop", "--version"][..], &["shop", "--help"], &["git", "log"], &["cargo", "build"]] {
        assert!(seen(argv).reaches_entry_point(), "{argv:?}");
    }
}
