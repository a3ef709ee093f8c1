//! `cargo xtask breaks`: breaks the project on purpose, once for each line of
//! `tests/breaks/breaks.tsv`, and finds the test that notices.
//!
//! One patch has all breaks, each behind `broken(NUMBER)`, and a file selects the number. So a copy
//! of the tree is built once, and its test binaries are started again for each break.

mod layer;
mod play;
mod score;
mod tree;

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::print_line;
use layer::{LAYERS, Layer};
use play::Player;
use score::{Break, ByLives, Notice, Score};

pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    let mut chosen = BTreeSet::new();
    let mut uses_hints = true;
    let mut are_lives_alone = false;
    let mut layers = LAYERS.to_vec();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("check") => return check(),
            Long("edit") => {
                let tree = tree::prepare()?;
                print_line(&format!("{} is the tree with the breaks.", tree.display()));
                return Ok(());
            }
            Long("save") => return tree::save(),
            Long("fresh") => uses_hints = false,
            Long("lives") => are_lives_alone = true,
            Long("layer") => {
                let name = arguments.value()?.string()?;
                layers.retain(|layer| layer.to_string() == name);
                ensure!(!layers.is_empty(), "There is no layer {name}.");
            }
            Value(number) => _ = chosen.insert(number.parse::<u32>()?),
            _ => return Err(argument.unexpected().into()),
        }
    }
    // The tree may have breaks that are not saved yet.
    let breaks = score::breaks()?;
    for number in &chosen {
        ensure!(breaks.iter().any(|it| it.number == *number), "There is no break {number}.");
    }
    let mut score = Score::read(&breaks)?;
    let mut player = Player::new(tree::prepare()?)?;
    let is_chosen = |it: &&Break| chosen.is_empty() || chosen.contains(&it.number);
    let mut waiting: Vec<&Break> = breaks.iter().filter(is_chosen).collect();
    if are_lives_alone {
        return play_lives(&waiting, &mut player, |it, found| {
            score.lives.remove(&it.number);
            score.lives.extend(found.map(|found| (it.number, found)));
            score.write(&breaks)
        });
    }
    let count = waiting.len();
    let before = score.clone();
    if uses_hints {
        let mut others = Vec::new();
        for it in waiting {
            let hint = before.notices.get(&it.number);
            match hint.map(|hint| player.plays_hint(it, hint)).transpose()? {
                Some(true) => print_line(&format!("{} {}: noticed as before", it.number, it.what)),
                _ => others.push(it),
            }
        }
        waiting = others;
    }
    for layer in &layers {
        let layer = *layer;
        let mut others = Vec::new();
        for it in waiting {
            match player.play(it, layer)? {
                Some(test) => {
                    print_line(&format!("{} {}: {layer}: {test}", it.number, it.what));
                    score.notices.insert(it.number, Notice { layer, test });
                    // What was found is kept if the command is interrupted: the last layers take
                    // long.
                    score.write(&breaks)?;
                }
                None => others.push(it),
            }
        }
        waiting = others;
    }
    if layers.len() < LAYERS.len() {
        return Ok(());
    }
    let unnoticed: Vec<u32> = waiting.iter().map(|it| it.number).collect();
    for number in &unnoticed {
        score.notices.remove(number);
    }
    score.write(&breaks)?;
    print_line(&format!("{} of {count} breaks are noticed.", count - unnoticed.len()));
    let lost = unnoticed.iter().filter(|number| before.notices.contains_key(number));
    let lost: Vec<&u32> = lost.collect();
    ensure!(lost.is_empty(), "Tests noticed these breaks before, and do not any more: {lost:?}");
    let unexplained = waiting.iter().filter(|it| it.reason.is_empty()).map(|it| it.number);
    let unexplained: Vec<u32> = unexplained.collect();
    ensure!(
        unexplained.is_empty(),
        "No test notices these breaks, and breaks.tsv has no reason: {unexplained:?}"
    );
    Ok(())
}

/// Plays breaks with the lives alone. `record` receives what they have noticed of each.
fn play_lives(
    breaks: &[&Break],
    player: &mut Player,
    mut record: impl FnMut(&Break, Option<ByLives>) -> Result<()>,
) -> Result<()> {
    for it in breaks {
        let found = match player.play(it, Layer::Lives)? {
            Some(rule) => Some(ByLives::Noticed(rule)),
            None => player.reaches(it, Layer::Lives)?.then_some(ByLives::Missed),
        };
        print_line(&format!("{} {}: {}", it.number, it.what, score::cell(found.as_ref())));
        record(it, found)?;
    }
    Ok(())
}

/// Fails unless the patch applies to the working tree, and has the breaks that are described.
fn check() -> Result<()> {
    tree::check_patch()?;
    let breaks = score::breaks()?;
    let described: BTreeSet<u32> = breaks.iter().map(|it| it.number).collect();
    ensure!(described.len() == breaks.len(), "breaks.tsv has a number twice.");
    let patched = tree::numbers_in_patch()?;
    let differing: Vec<&u32> = described.symmetric_difference(&patched).collect();
    ensure!(differing.is_empty(), "Only one of breaks.patch and breaks.tsv has {differing:?}.");
    Ok(())
}
