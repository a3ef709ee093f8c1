//! A process that may open only a few files.

use super::*;

#[tokio::test]
async fn too_few_file_descriptors_are_a_sentence() {
    for limit in 4..=16 {
        // Without those that the test has inherited.
        let script =
            format!("exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n {limit} && exec \"$0\"");
        let launch = || Launch::new("/bin/sh").arg("-c").arg(&script).arg(provider());
        for launch in [launch(), launch().without("TF_PLUGIN_MAGIC_COOKIE")] {
            let output = launch.command().output().await.unwrap();
            let text = String::from_utf8(output.stderr).unwrap();
            assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b""[..]), "{text}");
            let line = text.strip_suffix('\n').unwrap();
            assert!(line.starts_with("[ERROR] The process can open "), "{limit}: {text}");
            assert!(line.ends_with("`ulimit -n 1024`.") && !line.contains('\n'), "{limit}: {text}");
        }
    }
}
