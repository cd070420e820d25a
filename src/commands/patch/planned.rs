//! Asks the engine to plan an edit, and keeps what links and other files add to its plan.

use std::ops::{Deref, DerefMut};

use super::notes::sentence;
use super::refusals::Refused;
use super::{Content, Request};
use folio_files::address::Address;
use folio_files::error::{Error, Hint, Message};
use folio_files::options::SET;
use folio_outline::document::LoadedDocument;
use folio_outline::edit::{
    self, Carried, Check, Destination, EditRequest, Excerpt, LineEdit, Plan,
};
use folio_outline::part::Part;
use folio_text::content;
use folio_text::span::LineRange;

/// The plan of an edit in one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    /// The plan of the engine. Its notes are moved to the fields below, as sentences.
    plan: Plan,
    pub(super) warnings: Vec<Message>,
    /// What the edit kept or adapted, such as `comment kept`.
    pub(super) details: Vec<Message>,
    /// For moved or copied text, the index of its original file and its lines in that file.
    pub(super) came_from: Option<(usize, LineRange)>,
    /// The number of links that the plan updates.
    pub(super) rewritten: u64,
    /// The number of links that the plan breaks, and the number of files that contain them.
    pub(super) left: Option<(u64, u64)>,
    /// A sentence about links that may refer to the part but cannot be resolved. If the sentence
    /// does not contain the command that lists them, also this command.
    pub(super) unresolved: Option<(Message, Option<Hint>)>,
    /// The role of this file in the request.
    pub(super) role: Role,
}

/// The role of a file in a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// The file contains the selected part.
    #[default]
    Edited,
    /// The file receives moved or copied text.
    Arrival,
    /// The links in the file are updated.
    Links,
}

impl Deref for Planned {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        &self.plan
    }
}

impl DerefMut for Planned {
    fn deref_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

impl From<Plan> for Planned {
    fn from(mut plan: Plan) -> Self {
        let warnings = std::mem::take(&mut plan.warnings).iter().map(sentence).collect();
        let details = std::mem::take(&mut plan.details).iter().map(sentence).collect();
        Self { plan, warnings, details, ..Self::default() }
    }
}

impl Planned {
    /// Creates the plan of edits that other files or links need.
    pub(super) fn new(role: Role, edits: Vec<LineEdit>, affected: Option<LineRange>) -> Self {
        let plan = Plan { edits, affected, ..Plan::default() };
        Self { plan, role, ..Self::default() }
    }

    /// Returns the warnings, including the one about links that cannot be resolved.
    pub(super) fn all_warnings(&self) -> impl Iterator<Item = &Message> {
        self.warnings.iter().chain(self.unresolved.iter().map(|(message, _)| message))
    }
}

/// Plans a request with any operation except `create` and `apply`.
pub(super) fn plan(
    source: &LoadedDocument,
    request: &Request,
    force: bool,
    check: Check,
) -> Result<Planned, Error> {
    let edit = edit_request(request, force, check)?;
    let planned = source.edit(&edit);
    planned.map(Planned::from).map_err(|refusal| Refused { request, source }.error(&refusal))
}

/// Plans the insertion of text before or after the place of an address. If the address is a whole
/// file, inserts at its start or end.
pub(super) fn receive(
    source: &LoadedDocument,
    request: &Request,
    to: &Address,
    carried: &Carried,
    force: bool,
) -> Result<Planned, Error> {
    let edit = edit_request(request, force, Check::Now)?;
    let planned = source.receive(&edit, &to.part, carried);
    let planned = planned.map_err(|refusal| Refused { request, source }.error(&refusal))?;
    Ok(Planned { role: Role::Arrival, ..planned.into() })
}

/// Returns the text of the part that a request would replace.
pub(super) fn excerpt(source: &LoadedDocument, request: &Request) -> Result<Excerpt, Error> {
    let edit = edit_request(request, false, Check::Now)?;
    source.excerpt(&edit).map_err(|refusal| Refused { request, source }.error(&refusal))
}

fn edit_request(request: &Request, force: bool, check: Check) -> Result<EditRequest, Error> {
    let options = &request.options;
    let Some(operation) = request.operation.engine_operation() else {
        return Err(Error::usage("create does not replace an existing file"));
    };
    let destination = request
        .to
        .as_ref()
        .map(|to| Destination { part: to.part.clone(), is_here: to.path == request.address.path });
    let content = match &request.content {
        Some(content) => Some(edit::Content {
            bytes: fill_placeholders(content, request)?,
            is_file: content.file.is_some(),
        }),
        None => None,
    };
    Ok(EditRequest {
        operation,
        part: selected_part(request),
        scope: request.scope.clone(),
        content,
        side: request.side,
        destination,
        options: edit::EditOptions {
            occurrence: options.parse_occurrence()?,
            expect: options.expect,
            expand: options.expand,
            inline: options.inline,
            code: options.code(),
            outside_comments: options.outside_comments,
            keeps_indentation: options.no_preserve_indent,
            exact: options.exact,
            value_type: options.value_type,
        },
        is_optional: request.is_found,
        force,
        check,
    })
}

/// Returns the part that a request selects by options or in its address. A text is searched for in
/// the part of the address.
fn selected_part(request: &Request) -> Option<Part> {
    let in_address = Some(&request.address.part).filter(|part| **part != Part::Whole);
    let mut part = request.target.clone();
    if let Some(Part::Match(query)) = &mut part
        && query.within.is_none()
        && request.scope.is_none()
    {
        query.within = in_address.cloned().map(Box::new);
    }
    part.or(in_address.cloned())
}

pub(super) fn fill_placeholders(content: &Content, request: &Request) -> Result<Vec<u8>, Error> {
    if request.options.set.is_empty() {
        return Ok(content.bytes.clone());
    }
    content::fill(&content.bytes, &request.options.placeholders()?)
        .map_err(|name| Error::usage(format!("{SET}: the content does not contain {{{{{name}}}}}")))
}
