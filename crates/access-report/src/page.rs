//! The report as Markdown for a pull request, within a limit.

use std::collections::{BinaryHeap, HashMap};

use serde::Serialize;
use serde_json::{Value, json};

use crate::entries::{Entries, Entry};
use crate::inert::Texts;
use crate::lines::{self, Form};
use crate::report::Report;

/// The most elements of a list on a page that is full.
const MOST_ELEMENTS: usize = 20;

/// Returns the report in `limit` bytes. Only what stands on each page may be longer: the first line
/// and the notes, and the title of each section with the number of its entries that are left out.
///
/// A page that does not fit loses, one after the other until it fits:
///
/// 1. the addresses of notes, except for the first;
/// 2. the entries that change no access, the last one first;
/// 3. the elements of lists inside entries, except for the first;
/// 4. of the other entries the last of those that most entries say alike. Where no two are alike,
///    the longest.
///
/// So what many entries say alike, and what is long, hides nothing else.
pub(crate) fn write(report: &Report, limit: usize) -> String {
    let mut page = Page::of(report);
    if page.size() > limit {
        page.head.clone_from(&page.short_head);
    }
    let mut without_access = page.places(|line| !line.changes_access);
    while page.size() > limit
        && let Some(place) = without_access.pop()
    {
        page.leave_out(place);
    }
    if page.size() > limit {
        page.cut_lists();
    }
    let mut alike = page.alike();
    while page.size() > limit
        && let Some((_, _, mut places)) = alike.pop()
    {
        places.pop().into_iter().for_each(|place| page.leave_out(place));
        alike.extend(page.weighed(places));
    }
    page.text()
}

/// The section of a line, and the place in it.
type Place = (usize, usize);

struct Page {
    /// The first line and the notes.
    head: String,
    /// The same with fewer addresses.
    short_head: String,
    sections: Vec<Section>,
}

struct Section {
    title: &'static str,
    /// The entries; `None` if they are left out.
    lines: Vec<Option<Line>>,
    /// The bytes of the lines.
    length: usize,
    left_out: usize,
    /// What stands at the end, however many entries are left out.
    remark: &'static str,
}

/// An entry as Markdown.
struct Line {
    text: String,
    /// The same with fewer elements of lists.
    short_text: String,
    changes_access: bool,
    /// What the entry says, apart from what entries may have otherwise and say alike.
    said: String,
}

impl Page {
    fn of(report: &Report) -> Self {
        let Entries { owners, roles, revoke, unknown, drift, management, .. } = &report.entries;
        // The numbers of texts that look the same are those of the whole report.
        let mut texts = Texts::default();
        texts.add(&json!([report.notes, owners, roles, revoke, unknown, drift, management]));
        let or_left = if report.counts.or_left { ", or is left" } else { "" };
        let forms = [usize::MAX, MOST_ELEMENTS].map(|most| Form { texts: &texts, most, or_left });
        let [head, short_head] = forms.map(|form| {
            let notes = report.notes.iter().map(|note| format!("\n{}\n", lines::note(note, form)));
            format!("{}\n{}", report.counts.line(), notes.collect::<String>())
        });
        let sections = vec![
            Section::new("Owners, effective at once", owners, |_| true, lines::owner, forms),
            Section::new(
                "Roles, effective for new requests",
                roles,
                |role| !role.changes_texts_alone(),
                lines::role,
                forms,
            )
            .with_remark(report.counts.created > 0),
            Section::new("To revoke by hand", revoke, |_| true, lines::revocation, forms),
            Section::new("Known only after apply", unknown, |_| true, lines::unknown, forms),
            Section::new("Changed outside Terraform", drift, |_| false, lines::drift, forms),
            Section::new(
                "Comes under Terraform, leaves Terraform",
                management,
                |_| false,
                lines::transfer,
                forms,
            ),
        ];
        Self { head, short_head, sections }
    }

    /// Returns the places of some of the lines that are on the page.
    fn places(&self, is_wanted: impl Fn(&Line) -> bool) -> Vec<Place> {
        let lines = self.sections.iter().enumerate().flat_map(|(section, it)| {
            it.lines.iter().enumerate().map(move |(place, line)| ((section, place), line))
        });
        let wanted = lines.filter(|(_, line)| line.as_ref().is_some_and(&is_wanted));
        wanted.map(|(place, _)| place).collect()
    }

    fn line(&self, (section, place): Place) -> Option<&Line> {
        self.sections[section].lines[place].as_ref()
    }

    fn leave_out(&mut self, (section, place): Place) {
        let section = &mut self.sections[section];
        section.length -= section.lines[place].take().map_or(0, |line| line.text.len());
        section.left_out += 1;
    }

    fn cut_lists(&mut self) {
        for section in &mut self.sections {
            for line in section.lines.iter_mut().flatten() {
                section.length -= line.text.len() - line.short_text.len();
                line.text.clone_from(&line.short_text);
            }
        }
    }

    /// Returns the places of the lines that are on the page, by what they say.
    fn alike(&self) -> BinaryHeap<(usize, usize, Vec<Place>)> {
        let mut alike: HashMap<_, Vec<Place>> = HashMap::new();
        for place in self.places(|_| true) {
            let said = self.line(place).map(|line| &line.said);
            alike.entry((place.0, said)).or_default().push(place);
        }
        alike.into_values().filter_map(|places| self.weighed(places)).collect()
    }

    /// Returns places of lines that say alike, behind what makes the last of them go: their number,
    /// then its length.
    fn weighed(&self, places: Vec<Place>) -> Option<(usize, usize, Vec<Place>)> {
        let last = self.line(*places.last()?)?;
        Some((places.len(), last.text.len(), places))
    }

    fn size(&self) -> usize {
        let sections = self.sections.iter();
        let sections =
            sections.map(|it| it.length + it.around().map(|it| it.len()).iter().sum::<usize>());
        self.head.len() + sections.sum::<usize>()
    }

    fn text(&self) -> String {
        let sections = self.sections.iter().map(|section| {
            let [title, end] = section.around();
            let lines = section.lines.iter().flatten().map(|line| &*line.text);
            title + &lines.collect::<String>() + &end
        });
        self.head.clone() + &sections.collect::<String>()
    }
}

impl Section {
    fn new<T: Serialize>(
        title: &'static str,
        entries: &[Entry<T>],
        changes_access: impl Fn(&T) -> bool,
        line: impl Fn(&Entry<T>, Form<'_>) -> String,
        forms: [Form<'_>; 2],
    ) -> Self {
        let lines = entries.iter().map(|entry| {
            let [text, short_text] = forms.map(|form| format!("- {}\n", line(entry, form)));
            let changes_access = changes_access(&entry.what);
            Some(Line { text, short_text, changes_access, said: said(entry) })
        });
        let lines: Vec<_> = lines.collect();
        let length = lines.iter().flatten().map(|line| line.text.len()).sum();
        Self { title, lines, length, left_out: 0, remark: "" }
    }

    fn with_remark(mut self, overwrites: bool) -> Self {
        if overwrites {
            self.remark = "\nWhat exists and could not be read in the plan is overwritten.\n";
        }
        self
    }

    /// Returns what stands before and behind the lines.
    fn around(&self) -> [String; 2] {
        if self.lines.is_empty() {
            return Default::default();
        }
        let missing = match self.left_out {
            0 => String::new(),
            1 => "\n1 more is not shown; `--format json` has it.\n".to_owned(),
            count => format!("\n{count} more are not shown; `--format json` has them.\n"),
        };
        let blank = if self.left_out < self.lines.len() { "\n" } else { "" };
        [format!("\n## {}\n{blank}", self.title), missing + self.remark]
    }
}

/// Returns what an entry says, apart from a role's name and texts, an owner's principal, and the
/// address.
fn said<T: Serialize>(entry: &Entry<T>) -> String {
    let mut said = json!(entry);
    if let Value::Object(members) = &mut said {
        let is_role = members.contains_key("resources");
        members.retain(|name, _| match &**name {
            "role" | "principal" | "address" | "deposed" => false,
            "attributes" => !is_role,
            _ => true,
        });
    }
    said.to_string()
}
