//! Scripts that complete what is typed in a shell: clap's, with what it cannot know. Files are those of
//! data, by their endings; names of schemas, topics and fields are asked of the program itself.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Command, CommandFactory, ValueEnum};
use clap_complete::{Shell, generate};

use super::output::put;
use super::reading::input;
use super::{Cli, Sources};
use crate::dataset::{LoadEvent, Loader};
use crate::guide::topics;
use crate::query::Catalog;
use crate::run::Failed;
use crate::schema::SchemaChoice;
use crate::text::one_line;

/// Print a script that completes what is typed in a shell
///
/// It completes subcommands, options, files of data, names of schemas, topics of the manual, and in
/// queries the fields of the files on the line.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_parser = PossibleValuesParser::new(["bash", "zsh", "fish"])
        .try_map(|name| Shell::from_str(&name, false)))]
    shell: Shell,
}

impl CompletionsArgs {
    pub(super) fn run(self, _sources: &mut Sources) -> Result<(), Failed> {
        put(&script(self.shell, &mut Cli::command()))
    }
}

/// List what a script of completions asks for, a line each
#[derive(Debug, Args)]
pub struct CompleteArgs {
    /// What
    what: CompletedName,

    /// Of these files
    files: Vec<PathBuf>,
}

/// What a script of completions asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompletedName {
    /// Fields that a query of these files can name
    Fields,
    /// Names of schemas
    Schemas,
    /// Topics of the manual
    Topics,
}

impl CompleteArgs {
    pub(super) fn run(self, sources: &mut Sources) -> Result<(), Failed> {
        let names: Vec<String> = match self.what {
            CompletedName::Fields => fields(self.files, sources)?,
            CompletedName::Topics => {
                let topics = topics().into_iter();
                topics.map(|topic| topic.name.to_owned()).collect()
            }
            CompletedName::Schemas => {
                let catalog = sources.catalog();
                catalog.iter().map(|it| it.name().to_owned()).collect()
            }
        };
        // What a file calls its fields may not control a shell's terminal.
        let lines = names.iter().map(|name| one_line(name, 120) + "\n");
        put(&lines.collect::<String>())
    }
}

/// Fields that a query of files can name, read as far as their schemas are known; of any data where
/// none are named.
fn fields(files: Vec<PathBuf>, sources: &mut Sources) -> anyhow::Result<Vec<String>> {
    let loader = Loader {
        inputs: files.into_iter().map(input).collect(),
        choice: SchemaChoice::Detect(sources.catalog()),
        ..Loader::default()
    };
    let mut schemas = Vec::new();
    if !loader.inputs.is_empty() {
        loader.run(&mut |report| {
            if let LoadEvent::File(file) = report {
                schemas.push(file);
            }
            match schemas.len() < loader.inputs.len() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
    }
    let catalog = Catalog::of_files(&schemas);
    Ok(catalog.names().map(str::to_owned).collect())
}

/// Endings of files of data, plain and compressed.
const ENDINGS: [&str; 8] = [
    "jsonl", "json", "parquet", "csv", "tsv", "gz", "zst", "ndjson",
];

/// What bash does besides: asks the program where clap's script knows files alone.
const BASH: &str = r#"
# What the program knows: fields of the files on the line, schemas, topics; and files of data.
# Offers the lines of standard input that begin with the word, quoted: what a file calls its schema or
# its fields is text, and nothing that a shell runs.
_visavis_offer() {
    local line
    while IFS= read -r line; do
        if [[ "$line" == "$cur"* ]]; then
            printf -v line %q "$line"
            COMPREPLY+=( "$line" )
        fi
    done
}
# Offers names of files, a line each, which readline quotes.
_visavis_offer_files() {
    local line
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=( "$line" ); done
}
_visavis_data() {
    _visavis "$@"
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" sub="" words=() files=() word at
    case "$prev" in
        --schema)
            COMPREPLY=()
            # All quoted here: readline would quote names again beside files that it knows as such, and
            # leaves a $ in those alone.
            _visavis_offer < <("$1" __complete schemas 2>/dev/null
                compgen -d -S / -- "$cur"; compgen -f -X '!*.toml' -- "$cur")
            [[ "${COMPREPLY[0]}" == */ ]] && compopt -o nospace 2>/dev/null
            return 0 ;;
    esac
    [[ "$cur" == -* ]] && return 0
    for (( at = 1; at < COMP_CWORD; at++ )); do
        word="${COMP_WORDS[at]}"
        case "$word" in
            VALUED) at=$(( at + 1 )) ;;
            -*) ;;
            *) words+=( "$word" ) ;;
        esac
    done
    sub="${words[0]}"
    case "$sub" in
        guide)
            COMPREPLY=()
            _visavis_offer < <("$1" __complete topics 2>/dev/null)
            return 0 ;;
        schemas)
            if [[ "$prev" != --try ]]; then
                COMPREPLY=()
                _visavis_offer < <("$1" __complete schemas 2>/dev/null)
                return 0
            fi ;;
        config|keys|man|completions)
            return 0 ;;
        count|export|list|sql)
            if (( ${#words[@]} == 1 )); then
                for (( at = COMP_CWORD + 1; at < ${#COMP_WORDS[@]}; at++ )); do
                    [[ -f "${COMP_WORDS[at]}" ]] && files+=( "${COMP_WORDS[at]}" )
                done
                COMPREPLY=()
                _visavis_offer < <("$1" __complete fields "${files[@]}" 2>/dev/null)
                compopt -o nospace 2>/dev/null
                return 0
            fi ;;
    esac
    [[ "$prev" == -* ]] && return 0
    _visavis_offer_files < <(compgen -d -- "$cur"; compgen -f -X '!*.@(ENDINGS)' -- "$cur")
}
shopt -s extglob
"#;

/// What zsh does besides; clap's script calls these functions in place of its own.
const ZSH: &str = r#"
# What the program knows: fields of the files on the line, schemas, topics; and files of data.
(( $+functions[_visavis_data] )) ||
_visavis_data() {
    _files -g '*.(ENDINGS)(-.)'
}
(( $+functions[_visavis_schemas] )) ||
_visavis_schemas() {
    local -a names=( ${(f)"$(visavis __complete schemas 2>/dev/null)"} )
    compadd -a names
    _files -g '*.toml(-.)'
}
(( $+functions[_visavis_topics] )) ||
_visavis_topics() {
    local -a names=( ${(f)"$(visavis __complete topics 2>/dev/null)"} )
    compadd -a names
}
(( $+functions[_visavis_fields] )) ||
_visavis_fields() {
    local -a files=( ${^words[2,-1]}(N-.) )
    local -a names=( ${(f)"$(visavis __complete fields $files 2>/dev/null)"} )
    compadd -S '' -a names
}
"#;

/// What fish does besides.
const FISH: &str = r#"
# What the program knows: fields of the files on the line, schemas, topics; and files of data.
function __visavis_files
    for word in (commandline -o)
        test -f "$word"; and echo $word
    end
end
complete -c visavis -k -f -n "not __fish_seen_subcommand_from guide schemas keys config man completions" -a "(__fish_complete_suffix SUFFIXES)"
complete -c visavis -l schema -x -a "(visavis __complete schemas 2>/dev/null)"
complete -c visavis -n "__fish_seen_subcommand_from schemas" -f -a "(visavis __complete schemas 2>/dev/null)"
complete -c visavis -n "__fish_seen_subcommand_from guide" -f -a "(visavis __complete topics 2>/dev/null)"
complete -c visavis -n "__fish_seen_subcommand_from count export list sql" -f -a "(visavis __complete fields (__visavis_files) 2>/dev/null)"
"#;

/// The script for a shell.
fn script(shell: Shell, command: &mut Command) -> String {
    let mut script = Vec::new();
    generate(shell, command, "visavis", &mut script);
    // clap lists what is hidden too.
    let offers = |line: &&str| line.contains("'__complete:") || line.contains("-a \"__complete\"");
    let script: String = String::from_utf8_lossy(&script)
        .lines()
        .filter(|line| !offers(line))
        .map(|line| format!("{line}\n"))
        .collect();
    let endings = ENDINGS.join("|");
    match shell {
        Shell::Bash => {
            // clap's own function is called by ours, which stands in its place.
            let lines = script.lines().map(|line| match line.trim_start() {
                words if words.starts_with("opts=") => line.replace(" __complete", "") + "\n",
                words if words.starts_with("complete -F _visavis ") => {
                    line.replace("-F _visavis ", "-F _visavis_data ") + "\n"
                }
                _ => format!("{line}\n"),
            });
            let valued = valued_options(command).join("|");
            let ours = BASH.replace("ENDINGS", &endings);
            lines.collect::<String>() + &ours.replace("VALUED", &valued)
        }
        Shell::Fish => {
            let suffixes: Vec<_> = ENDINGS.iter().map(|ending| format!(".{ending}")).collect();
            script + &FISH.replace("SUFFIXES", &suffixes.join(" "))
        }
        _ => with_functions(&script, &ZSH.replace("ENDINGS", &endings)),
    }
}

/// Options that take the word behind them for their value, of the program and of its subcommands.
fn valued_options(command: &Command) -> Vec<String> {
    let commands = std::iter::once(command).chain(command.get_subcommands());
    let options = commands.flat_map(Command::get_arguments);
    let valued = options
        .filter(|option| option.get_action().takes_values() && !option.is_require_equals_set());
    let mut spelled: Vec<_> = valued
        .flat_map(|option| {
            let long = option.get_long().map(|long| format!("--{long}"));
            long.into_iter()
                .chain(option.get_short().map(|short| format!("-{short}")))
        })
        .collect();
    spelled.sort();
    spelled.dedup();
    spelled
}

/// The script for zsh, in which values are completed by our functions, which stand before its end:
/// its last lines call it.
fn with_functions(script: &str, functions: &str) -> String {
    let lines = script.lines().map(|line| {
        let is = |what: &str| line.contains(what);
        let function = match () {
            () if is("--schema=[") => "_visavis_schemas",
            () if is("'::topic") => "_visavis_topics",
            () if is("'::name") => "_visavis_schemas",
            () if is("'::query") => "_visavis_fields",
            () if is("'*::files") || is("--with=[") || is("--against=[") || is("--try=[") => {
                "_visavis_data"
            }
            () => return line.to_owned(),
        };
        ["_default'", "_files'"]
            .into_iter()
            .find_map(|end| line.rsplit_once(end))
            .map_or_else(
                || line.to_owned(),
                |(before, behind)| format!("{before}{function}'{behind}"),
            )
    });
    let mut lines: Vec<_> = lines.collect();
    let end = lines
        .iter()
        .rposition(|line| line.starts_with("if [ \"$funcstack[1]\""))
        .unwrap_or(lines.len());
    lines.insert(end, functions.trim().to_owned());
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_into_scripts_of_clap_is_there() {
        let of = |shell| script(shell, &mut Cli::command());
        let zsh = of(Shell::Zsh);
        let end = zsh.find("if [ \"$funcstack[1]\"").expect("the end");
        for function in ["schemas", "topics", "fields", "data"] {
            assert!(
                zsh.contains(&format!(":_visavis_{function}'")),
                "{function}"
            );
            let defined = zsh.find(&format!("\n_visavis_{function}() {{"));
            assert!(defined.is_some_and(|at| at < end), "{function}");
        }
        let bash = of(Shell::Bash);
        assert!(
            !bash.contains("complete -F _visavis "),
            "ours takes its place"
        );
        assert!(bash.contains("complete -F _visavis_data -o bashdefault"));
        assert!(
            bash.contains("--theme|"),
            "its value is no word of the line"
        );
        for script in [zsh, bash, of(Shell::Fish)] {
            assert!(!script.contains("'__complete:") && !script.contains("-a \"__complete\""));
        }
    }
}
