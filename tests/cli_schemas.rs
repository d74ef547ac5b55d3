//! `visavis schemas`, and a user's own schemas, with the real program.

use std::path::{Path, PathBuf};

use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

use crate::program::Program;

const MINE: &str = "name = \"mine\"\ntitle = \"My ratings\"\nabout = \"what I rated\"\n\
                    rows = \"inline\"\nprompt.path = \"/ask/t\"\n\
                    [[response]]\ntext = \"/both/0\"\n[[response]]\ntext = \"/both/1\"\n";
const ROW: &str = r#"{"ask": {"t": "why?"}, "both": ["so", "no"]}"#;

/// A user's home with own schemas and files.
struct Person {
    home: TempDir,
}

impl Person {
    fn new() -> Self {
        let home = TempDir::new().expect("a folder");
        let person = Self { home };
        std::fs::create_dir_all(person.schemas()).expect("made");
        person
    }

    fn schemas(&self) -> PathBuf {
        self.home.path().join("config/visavis/schemas")
    }

    /// Writes a new file and returns its path.
    fn put(&self, path: &Path, text: &str) -> String {
        std::fs::write(path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    }

    fn rows(&self, text: &str) -> String {
        self.put(&self.home.path().join("rows.jsonl"), text)
    }

    fn program(&self, args: &[&str]) -> Program {
        let mut program = Program::new(args);
        program.env("XDG_CONFIG_HOME", self.home.path().join("config"));
        program
    }

    fn run(&self, args: &[&str]) -> Assert {
        self.program(args).assert()
    }
}

#[test]
fn schemas_of_ones_own_are_found_and_named() {
    let person = Person::new();
    let rows = person.rows(&format!("{ROW}\n"));
    person
        .run(&["--print", &rows])
        .code(2)
        .stderr(contains("name the fields"));
    person.put(&person.schemas().join("mine.toml"), MINE);
    let shown = || contains("My ratings").and(contains("why?"));
    person
        .run(&["--print", &rows])
        .success()
        .stdout(shown())
        .stderr("");
    person
        .run(&["--print", "--schema", "mine", &rows])
        .success()
        .stdout(shown())
        .stderr("");
    person.run(&["count", "", &rows]).success().stdout("1\n");
    let broken = person.schemas().join("broken.toml");
    person.put(&broken, "name = \"broken\"\ntitel = \"x\"\n");
    let told = format!(
        "visavis: {}: line 2, key titel: unknown key `titel`; did you mean `title`?",
        broken.display()
    );
    for args in [
        &["--print", &rows][..],
        &["count", "", &rows],
        &["schemas", "--try", &rows],
    ] {
        person
            .run(args)
            .success()
            .stderr(predicate::str::starts_with(told.clone()));
    }
    // Not reported if no file is read, or if the schema was given.
    person.run(&["keys"]).success().stderr("");
    person
        .run(&[
            "count",
            "",
            "--map",
            "prompt=ask.t,a=/both/0,b=/both/1",
            &rows,
        ])
        .success()
        .stderr("");
}

#[test]
fn schemas_are_listed_and_printed() {
    let person = Person::new();
    let mine = person.put(&person.schemas().join("mine.toml"), MINE);
    let webgpt = MINE.replace("\"mine\"", "\"webgpt-raw\"");
    let webgpt = person.put(&person.schemas().join("own.toml"), &webgpt);
    person
        .run(&["schemas"])
        .success()
        .stdout(
            predicate::str::is_match(
                "(?m)^helpsteer2 +adjacent  built in  HelpSteer2: one response",
            )
            .expect("a pattern")
            .and(contains(format!(
                "  inline    yours     My ratings: what I rated ({mine})\n"
            )))
            .and(contains(format!(
                "({webgpt}, replacing the built-in one)\n"
            )))
            .and(contains("WebGPT comparisons: each line is").count(0)),
        )
        .stderr("");
    person
        .run(&["schemas", "helpsteer2"])
        .success()
        .stdout(include_str!("../assets/schemas/helpsteer2.toml"))
        .stderr("");
    person.run(&["schemas", "mine"]).success().stdout(MINE);
    person
        .run(&["schemas", "nope"])
        .code(2)
        .stdout("")
        .stderr(contains("unknown schema `nope`; use one of: alpacaeval").and(contains("mine")));
    person
        .run(&["schemas", "helpsteer"])
        .code(2)
        .stderr(contains(
            "did you mean `helpsteer2`? (visavis schemas lists them; the path of a .toml file also works)",
        ));
    // By the path of its file, anywhere.
    let elsewhere = person.put(
        &person.home.path().join("elsewhere.toml"),
        &MINE.replacen("\"mine\"", "\"other\"", 1),
    );
    person
        .run(&["schemas", &elsewhere])
        .success()
        .stdout(contains("name = \"other\""));
    // A schema of the folder is the same under any name.
    person.run(&["schemas", &mine]).success().stdout(MINE);
    let broken = person.put(
        &person.home.path().join("broken.toml"),
        "name = \"b\"\ntitle = 3\n",
    );
    person
        .run(&["schemas", &broken])
        .code(2)
        .stderr(contains("broken.toml: line 2"));
    let data = person.rows("{}\n");
    person.run(&["schemas", &data]).code(2).stderr(contains(
        "visavis schemas --try FILE shows which schemas fit it",
    ));
    person
        .run(&["schemas", "mine", "--try", "x"])
        .code(2)
        .stdout("");
    for args in [&["schemas"][..], &["schemas", "arena-55k"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut program = person.program(args);
        program.stdout(writer);
        program.assert().success().stderr("");
    }
}

#[test]
fn schemas_are_tried_on_a_file() {
    let person = Person::new();
    person.put(&person.schemas().join("mine.toml"), MINE);
    let rows = person.rows(&format!("{ROW}\n{{\"ask\": 1}}\n"));
    person
        .run(&["schemas", "--try", &rows])
        .success()
        .stdout(
            predicate::str::is_match(
                "(?m)^mine +1 of 2  yours  finds 3 values; line 2: /ask/t is missing",
            )
            .expect("a pattern")
            .and(contains("verifiers").not())
            .and(contains(
                "\nmine is used: it finds the most values of all schemas that fit the first line",
            )),
        )
        .stderr("");
    let guessed =
        person.rows("{\"q\": 1, \"question\": \"p\", \"chosen\": \"x\", \"rejected\": \"y\"}\n");
    person
        .run(&["schemas", "--try", &guessed])
        .success()
        .stdout(
            contains("A always wins.")
                .and(contains("--map prompt=/question,a=/chosen,b=/rejected")),
        );
    let winner = |value: &str| {
        format!(
            "{{\"prompt\": \"p\", \"response_a\": \"x\", \"response_b\": \"y\", \"winner\": \"{value}\"}}\n"
        )
    };
    let unread = person.rows(&winner("model-7b").repeat(2));
    let told = "/winner is not used as the verdict: \"model-7b\" does not clearly name a winner";
    person
        .run(&["schemas", "--try", &unread])
        .success()
        .stdout(contains(format!("No verdict. {told}. To set the same")));
    let counted = person.run(&["count", "", &unread]);
    counted.success().stdout("2\n").stderr(contains(told));
    let few = person.rows(&["a", "skip", "", "b", "a"].map(winner).concat());
    let flagged = person.run(&["count", "is:flagged", &few]);
    flagged
        .success()
        .stdout("1\n")
        .stderr(contains("not used").not());
    let decided = person.run(&["count", "verdict=a or verdict=b", &few]);
    decided.success().stdout("3\n");
    let table = person.put(
        &person.home.path().join("rows.csv"),
        "prompt,response_1,response_2,winner\np,x,y,1\np,x,z,\np,y,z,2\n",
    );
    let decided = person.run(&["count", "verdict=a or verdict=b", &table]);
    decided.success().stdout("2\n").stderr("");
    let commas = person.rows(&format!("{ROW},\n{ROW},\n"));
    person.run(&["count", "", &commas]).code(2).stderr(contains(
        "line 1 has a comma after its object; remove these commas: sed",
    ));
    let nothing = person.rows("{\"x\": 1}\n");
    person
        .run(&["schemas", "--try", &nothing])
        .code(2)
        .stdout(contains("0 of 1"))
        .stderr(contains("no prompt and responses found"));
    person
        .run(&["schemas", "--try", "no-such-file"])
        .code(2)
        .stdout("")
        .stderr(contains("no such file"));
    person
        .program(&["schemas", "--try", "-"])
        .piped(format!("{ROW}\n"))
        .success()
        .stdout(contains("mine is used"));
}

/// A query on a misspelt path finds nothing; paths without values are reported, also for compressed
/// rows, which `count` does not keep.
#[test]
fn paths_without_values_are_reported() {
    let person = Person::new();
    let schema = |path: &str| {
        let rated = format!(
            "{MINE}ratings.good = \"{path}\"\n[[label]]\nname = \"good\"\nkind = \"score\"\nabout = \"x\"\n\
             [[text]]\nname = \"note\"\npath = \"{path}_note\"\n"
        );
        person.put(&person.home.path().join("own.toml"), &rated)
    };
    let row = r#"{"ask": {"t": "why?"}, "both": ["so", "no"], "marks": {"second": 3, "second_note": "n"}}"#;
    let plain = person.rows(&format!("{row}\n"));
    let packed = person.home.path().join("rows.jsonl.gz");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, row.as_bytes()).expect("packed");
    std::fs::write(&packed, gzip.finish().expect("packed")).expect("written");
    let packed = packed.to_str().expect("UTF-8");
    for rows in [&plain, packed] {
        let slip = schema("/marks/seccond");
        let counted = person.run(&["count", "", "--schema", &slip, rows]);
        counted.success().stderr(contains(
            "schema mine finds no value in any row at /marks/seccond (label good), /marks/seccond_note (text note)",
        ));
        let right = schema("/marks/second");
        let counted = person.run(&["count", "good>2", "--schema", &right, rows]);
        counted.success().stdout("1\n").stderr("");
    }
}

#[test]
fn a_guess_is_explained_field_by_field_and_written_as_a_schema() {
    let person = Person::new();
    let long = "The first one says why, and the other one only that, which is too little.";
    let row = |pick: &str| {
        format!(
            "{{\"ask\": \"why {pick}?\", \"reply_a\": \"so it is {pick}\", \"reply_b\": \"not so {pick}\", \
             \"winner\": \"{pick}\", \"more\": {{\"because\": \"{long} {pick}\", \"n\": 3}}}}\n"
        )
    };
    let rows = person.put(
        &person.home.path().join("my.rows.jsonl"),
        &["a", "b", "a"].map(row).concat(),
    );
    let tried = person.run(&["schemas", "--try", &rows]).success();
    let tried = String::from_utf8(tried.get_output().stdout.clone()).expect("UTF-8");
    assert!(tried.lines().count() <= 24, "{tried}");
    for told in [
        "\nfield         role        why\nask           prompt ",
        "\nreply_b       response B  ",
        "\nwinner        verdict     ",
        "\nmore.n        field       number, 3 values\n",
        "\nmore.because  text        a long text\n",
    ] {
        assert!(tried.contains(told), "{told}\n{tried}");
    }
    let guess = person.run(&["schemas", "--guess", &rows]).success();
    let toml = String::from_utf8(guess.get_output().stdout.clone()).expect("UTF-8");
    for told in [
        "# /ask: prompt (",
        "# /more/because: text (a long text)\n",
        "\nname = \"my\"\n",
    ] {
        assert!(toml.contains(told), "{told}\n{toml}");
    }
    let schema = person.put(&person.home.path().join("own.toml"), &toml);
    let won = person.run(&["count", "verdict=a", "--schema", &schema, &rows]);
    won.success().stdout("2\n").stderr("");
    person
        .run(&["schemas", "--guess", &person.rows("{\"x\": 1}\n")])
        .code(2)
        .stdout("");
}

#[test]
fn schemas_are_listed_for_programs() {
    let done = Program::new(&["schemas", "--json"]).assert().success();
    let document: serde_json::Value =
        serde_json::from_slice(&done.get_output().stdout).expect("JSON");
    let schemas = document["schemas"].as_array().expect("a list");
    let one = schemas.iter().find(|it| it["name"] == "helpsteer2");
    let one = one.expect("a built-in schema");
    assert_eq!(
        (&one["rows"], &one["path"]),
        (&"adjacent".into(), &serde_json::Value::Null)
    );
    assert_eq!(document["version"], 1);
    let mut both = Program::new(&["schemas", "helpsteer2", "--json"]);
    both.assert().code(2).stdout("");
}

#[test]
fn numbers_of_guessed_layouts_are_those_of_their_responses() {
    let person = Person::new();
    let row = |prompt: &str, completion: usize, reward: &str| {
        format!(
            "{{\"prompt\": \"{prompt}\", \"completion\": \"c{completion}\", \"style_reward\": {reward}}}\n"
        )
    };
    let rewards = ["1.0", "0.0", "1.0", "0.5"];
    let rows = |prompt: &str| -> String {
        let rows = rewards.iter().enumerate();
        rows.map(|(place, reward)| row(prompt, place, reward))
            .collect()
    };
    let file = person.rows(&(rows("p") + &rows("q")));
    for (filter, rows) in [
        ("style_reward=1.0", "4\n"),
        ("style_reward=0.0", "2\n"),
        ("b.style_reward=0", "8\n"),
    ] {
        let counted = person.run(&["count", "--rows", filter, &file]);
        counted.success().stdout(rows).stderr("");
    }
    let table = |name: &str, rows: &str| {
        let text = format!("prompt;response_a;response_b;score_a;score_b\n{rows}");
        person.put(&person.home.path().join(name), &text)
    };
    let whole = table("whole.csv", "p;x;y;1;2\nq;x;y;4;2\n");
    let won = person.run(&["count", "verdict=b score>1", &whole]);
    won.success().stdout("1\n").stderr("");
    let commas = table("commas.csv", "p;x;y;3,5;2,25\nq;x;y;4,0;2\n");
    let told = "/score_a is not used as a score: 3,5 has a decimal comma instead of a point";
    let counted = person.run(&["count", "", &commas]);
    counted.success().stdout("2\n").stderr(contains(told));
    let tried = person.run(&["schemas", "--try", &commas]);
    tried.success().stdout(contains(told));
}

#[test]
fn a_doubt_is_shown_and_corrected_but_not_while_blind() {
    let person = Person::new();
    let row = |at: usize| {
        format!(
            "{{\"chosen\": \"Press sealant into joint {at}.\", \"rejected\": \"Shout at it {at} times.\"}}\n"
        )
    };
    let file = person.rows(&(0..3).map(row).collect::<String>());
    let frame = |keys: &str| {
        let shown = person.run(&["--print", "--size", "110x18", "--keys", keys, &file]);
        String::from_utf8_lossy(&shown.success().get_output().stdout).into_owned()
    };
    let shown = frame("");
    assert!(
        shown.contains("guessed: no prompt found  c correct"),
        "{shown}"
    );
    // The doubt leaves room for what was said about the sample.
    let noted = frame("tfirst<enter>");
    assert!(
        noted.contains("no prompt found") && noted.contains("first"),
        "{noted}"
    );
    let edited = frame("c");
    assert!(
        edited.contains("preview") && edited.contains("A wins"),
        "{edited}"
    );
    let blind = frame(":blind<enter>c");
    assert!(
        !blind.contains("preview") && !blind.contains("wins"),
        "{blind}"
    );
    let strict = person.run(&["count", "", &file, "--strict"]);
    strict
        .code(2)
        .stdout("")
        .stderr(contains("no prompt found"));
}

#[test]
fn a_saved_layout_is_replaced_by_the_next_one_and_can_be_forgotten() {
    let person = Person::new();
    let row = |at: usize| {
        format!(
            "{{\"chosen\": \"Soak the pan for {at} hours.\", \"rejected\": \"Buy pan {at}.\", \"remark\": \"short{at}\"}}\n"
        )
    };
    let file = person.rows(&(0..3).map(row).collect::<String>());
    let frame = |keys: &str| {
        let shown = person.run(&["--print", "--size", "110x18", "--keys", keys, &file]);
        String::from_utf8_lossy(&shown.success().get_output().stdout).into_owned()
    };
    let saved = || {
        let files = std::fs::read_dir(person.schemas()).expect("a folder");
        let names = files.map(|file| file.expect("a file").file_name());
        let mut names: Vec<_> = names.map(|it| it.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    // What is missing is named before the layout is saved.
    assert!(frame("c<enter>").contains("Something may be wrong: no prompt found"));
    let shown = frame("c<enter><enter>");
    assert!(shown.contains("Saved the layout"), "{shown}");
    let [name] = &*saved() else {
        panic!("{:?}", saved())
    };
    assert!(!frame("").contains("guessed"), "the answer is remembered");
    // The first layout is replaced.
    frame(":layout<enter>e/remark<enter>p<enter>");
    assert_eq!(saved(), [name.clone(), format!("{name}~")]);
    assert!(frame("").contains("short0"));
    let shown = frame(":layout<enter><del>");
    assert!(
        shown.contains("Forgot the layout") && shown.contains("guessed: no prompt found"),
        "{shown}"
    );
    assert_eq!(saved(), [format!("{name}~")]);
    let shown = frame(":layout<enter><del>");
    assert!(shown.contains("Only a layout of your own"), "{shown}");
}
