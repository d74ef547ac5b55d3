//! Compares the vocabulary with tiktoken-rs, from which the table was made.

use tiktoken_rs::{CoreBPE, r50k_base};

use super::*;

fn gpt2() -> CoreBPE {
    r50k_base().expect("the table of tiktoken-rs")
}

fn read(ids: &[u32]) -> DecodedTokens {
    let spelled: Vec<_> = ids.iter().map(u32::to_string).collect();
    decode(spelled.iter().map(String::as_str), usize::MAX)
}

/// Builds the unpacked table, compares it with the asset, and writes the asset if
/// `VISAVIS_WRITE_TOKENS` is set.
#[test]
fn the_table_is_that_of_tiktoken() {
    let oracle = gpt2();
    let (mut lengths, mut bytes) = (Vec::new(), Vec::new());
    for id in 0..IDS as u32 {
        let token = oracle.decode_bytes(&[id]).expect("a token");
        lengths.push(u8::try_from(token.len()).expect("a short token"));
        bytes.extend(token);
    }
    assert!(
        oracle.decode_bytes(&[IDS as u32]).is_err(),
        "there are more ids"
    );
    let built = [lengths, bytes].concat();
    if std::env::var_os("VISAVIS_WRITE_TOKENS").is_some() {
        let packed = zstd::encode_all(&*built, 22).expect("packed");
        std::fs::write("assets/tokens/gpt2.zst", packed).expect("written");
        return;
    }
    assert!(
        zstd::decode_all(PACKED).expect("unpacked") == built,
        "run this test with VISAVIS_WRITE_TOKENS=1, and once more without"
    );
}

#[test]
fn texts_come_back_as_tiktoken_has_them() {
    let oracle = gpt2();
    for text in [
        "",
        "Hello, world! It's 1,024 times  faster.",
        "question\u{25a0}[1] title (domain)\n\nextract\u{25a0}[2] …",
        " \t\r\n\n   indented\n\u{a0}\u{2003}x  ",
        "日本語のテキスト。한국어 中文",
        "👩‍👩‍👧‍👦 🏳️‍🌈 naïve Ünïcödé \u{200b}\u{feff}",
        "\u{0}\u{1b}[2J<|endoftext|>",
    ] {
        let ids = oracle.encode_ordinary(text);
        assert_eq!(oracle.decode(&ids).expect("decoded"), text);
        let decoded = DecodedTokens {
            text: text.to_owned(),
            ..DecodedTokens::default()
        };
        assert_eq!(read(&ids), decoded);
    }
    assert_eq!(read(&[50_256]).text, "<|endoftext|>");
}

#[test]
fn what_is_cut_off_or_unknown_shows() {
    let ids = gpt2().encode_ordinary("🦀");
    assert!(ids.len() > 1, "{ids:?}");
    assert_eq!(read(&ids[..1]).text, "\u{fffd}");
    for (spelled, text, unknown) in [
        (&["31373", "50257", "995"][..], "hello⟨50257⟩ world", 1),
        (
            &["-1", "1.5", "1e3", "4294967296", "15496"],
            "⟨-1⟩⟨1.5⟩⟨1e3⟩⟨4294967296⟩Hello",
            4,
        ),
    ] {
        let decoded = decode(spelled.iter().copied(), 1000);
        assert_eq!((decoded.text.as_str(), decoded.unknown), (text, unknown));
    }
    let cut = decode(["31373", "995", "995"].into_iter(), 6);
    assert_eq!((cut.text.as_str(), cut.not_decoded), ("hello world", 1));
}
