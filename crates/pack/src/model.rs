//! The parts of a pack by their names in the specification, as views on the spanned document.
//!
//! A view is a place that should hold the thing; every accessor answers `None` or nothing where the text holds
//! something of another type, so that rules can state their fact and leave shape errors to the schema. Views are
//! as cheap to copy as a reference.

use crate::json::Node;
use crate::template::Syntax;

macro_rules! views {
    ($($(#[$documentation:meta])* $name:ident),* $(,)?) => {$(
        $(#[$documentation])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name<'a>(pub Node<'a>);

        impl<'a> std::ops::Deref for $name<'a> {
            type Target = Node<'a>;

            fn deref(&self) -> &Node<'a> {
                &self.0
            }
        }
    )*};
}

views! {
    /// The whole document ("Root Properties").
    Pack,
    /// One prompt, a member of `prompts`.
    Prompt,
    /// One variable of a prompt.
    Variable,
    /// One tool, a member of `tools`.
    Tool,
    /// Changes of a prompt for one model, a member of `model_overrides`.
    ModelOverride,
    /// A guardrail of a prompt.
    Validator,
    /// A quality check, of the pack or of a prompt.
    Eval,
    /// The state machine over prompts (1.3).
    Workflow,
    /// One state of the workflow.
    State,
    /// The agents of the pack (1.3).
    Agents,
    /// One agent, a member of `agents.members`.
    Agent,
    /// An entry of `skills` (1.3.1).
    Skill,
    /// A step graph, a member of `compositions` (1.5).
    Composition,
    /// One step of a composition.
    Step,
    /// An entry of `requires.providers` (1.5.1).
    Provider,
    /// A governance declaration, of the pack's metadata or of an agent (1.6).
    Governance,
    /// The media settings of a prompt (1.1).
    Media,
    /// `metadata` of the pack.
    Metadata,
}

impl<'a> Node<'a> {
    /// The member `key`, where it is a string.
    pub fn text(self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Node::as_str)
    }

    /// The member `key`, where it is a boolean.
    pub fn flag(self, key: &str) -> Option<bool> {
        self.get(key).and_then(Node::as_bool)
    }

    /// The items of the list at `key`.
    pub fn list(self, key: &str) -> impl DoubleEndedIterator<Item = Node<'a>> + Clone + use<'a> {
        self.get(key).into_iter().flat_map(Node::items)
    }

    /// The items of the list at `key` that are strings, with their nodes.
    pub fn texts(self, key: &str) -> impl Iterator<Item = (&'a str, Node<'a>)> + Clone + use<'a> {
        self.list(key).filter_map(|item| Some((item.as_str()?, item)))
    }

    /// The members of the object at `key`.
    pub fn map(self, key: &str) -> impl DoubleEndedIterator<Item = (&'a str, Node<'a>)> + Clone + use<'a> {
        self.get(key).into_iter().flat_map(Node::members)
    }
}

impl<'a> Pack<'a> {
    /// The pack's `id`.
    pub fn id(self) -> Option<&'a str> {
        self.text("id")
    }

    /// The version as it is written.
    pub fn version_text(self) -> Option<&'a str> {
        self.text("version")
    }

    /// The version, read without its leading `v`.
    pub fn version(self) -> Option<semver::Version> {
        self.version_text().and_then(parse_version)
    }

    /// The delimiters of its templates.
    pub fn syntax(self) -> Syntax {
        let declared = self.get("template_engine").and_then(|engine| engine.text("syntax"));
        declared.map(Syntax::of).unwrap_or_default()
    }

    /// The prompts by key.
    pub fn prompts(self) -> impl DoubleEndedIterator<Item = Prompt<'a>> + Clone + use<'a> {
        self.map("prompts").filter(|(_, node)| node.is_object()).map(|(_, node)| Prompt(node))
    }

    /// The prompt of that key.
    pub fn prompt(self, key: &str) -> Option<Prompt<'a>> {
        self.get("prompts")?.get(key).filter(|node| node.is_object()).map(Prompt)
    }

    /// The fragments as (key, text, place).
    pub fn fragments(
        self,
    ) -> impl DoubleEndedIterator<Item = (&'a str, &'a str, Node<'a>)> + Clone + use<'a> {
        self.map("fragments").filter_map(|(key, node)| Some((key, node.as_str()?, node)))
    }

    /// The text of the fragment with that key.
    pub fn fragment(self, key: &str) -> Option<&'a str> {
        self.get("fragments")?.text(key)
    }

    /// The tools by key.
    pub fn tools(self) -> impl DoubleEndedIterator<Item = Tool<'a>> + Clone + use<'a> {
        self.map("tools").filter(|(_, node)| node.is_object()).map(|(_, node)| Tool(node))
    }

    /// The tool of that key.
    pub fn tool(self, key: &str) -> Option<Tool<'a>> {
        self.get("tools")?.get(key).filter(|node| node.is_object()).map(Tool)
    }

    /// The evals of the pack, not those of its prompts.
    pub fn evals(self) -> impl Iterator<Item = Eval<'a>> + Clone + use<'a> {
        self.list("evals").filter(|node| node.is_object()).map(Eval)
    }

    /// The workflow.
    pub fn workflow(self) -> Option<Workflow<'a>> {
        self.get("workflow").filter(|node| node.is_object()).map(Workflow)
    }

    /// The agents.
    pub fn agents(self) -> Option<Agents<'a>> {
        self.get("agents").filter(|node| node.is_object()).map(Agents)
    }

    /// The entries of `skills`.
    pub fn skills(self) -> impl Iterator<Item = Skill<'a>> + Clone + use<'a> {
        self.list("skills").map(Skill)
    }

    /// The compositions by key.
    pub fn compositions(self) -> impl DoubleEndedIterator<Item = Composition<'a>> + Clone + use<'a> {
        self.map("compositions").filter(|(_, node)| node.is_object()).map(|(_, node)| Composition(node))
    }

    /// The steps of all compositions, those inside a parallel included.
    pub fn all_steps(self) -> impl Iterator<Item = Step<'a>> + Clone + use<'a> {
        self.compositions().flat_map(Composition::all_steps)
    }

    /// The entries of `requires.providers`.
    pub fn providers(self) -> impl Iterator<Item = Provider<'a>> + Clone + use<'a> {
        self.get("requires").into_iter().flat_map(|requires| requires.list("providers")).map(Provider)
    }

    /// The metadata.
    pub fn metadata(self) -> Option<Metadata<'a>> {
        self.get("metadata").filter(|node| node.is_object()).map(Metadata)
    }

    /// The references to JSON Schemas that the compositions and their steps hold.
    pub fn schema_references(self) -> Vec<Node<'a>> {
        let mut found = Vec::new();
        for composition in self.compositions() {
            found.extend(["input_schema", "output_schema"].iter().filter_map(|field| composition.get(field)));
            let models = composition.all_steps().into_iter().filter(|step| step.prompt_task().is_some());
            found.extend(models.filter_map(|step| step.get("output_schema")));
        }
        found.retain(|node| node.as_str().is_some());
        found
    }

    /// Every governance declaration: the pack's first, then those of the agents.
    pub fn governances(self) -> impl Iterator<Item = Governance<'a>> + use<'a> {
        let own = self.metadata().and_then(|metadata| metadata.get("governance"));
        let agents = self.agents().into_iter().flat_map(|agents| agents.members());
        own.into_iter()
            .chain(agents.filter_map(|agent| agent.get("governance")))
            .filter(|n| n.is_object())
            .map(Governance)
    }
}

/// Reads a semantic version after one optional `v`.
pub fn parse_version(text: &str) -> Option<semver::Version> {
    semver::Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
}

impl<'a> Prompt<'a> {
    /// Its key in `prompts`, which is its identity.
    pub fn name_key(self) -> &'a str {
        self.key().unwrap_or_default()
    }

    /// The base template.
    pub fn template(self) -> Option<&'a str> {
        self.text("system_template")
    }

    /// Every template text of the prompt: the base one, then the three fields of each model override.
    pub fn templates(self) -> impl Iterator<Item = Node<'a>> + Clone + use<'a> {
        const FIELDS: [&str; 3] = ["system_template_prefix", "system_template", "system_template_suffix"];
        let overrides =
            self.model_overrides().flat_map(|model| FIELDS.into_iter().filter_map(move |f| model.get(f)));
        self.get("system_template").into_iter().chain(overrides).filter(|node| node.as_str().is_some())
    }

    /// The declared variables that have a name, in order.
    pub fn variables(self) -> impl DoubleEndedIterator<Item = Variable<'a>> + Clone + use<'a> {
        self.list("variables").filter(|node| node.text("name").is_some()).map(Variable)
    }

    /// The variable of that name.
    pub fn variable(self, name: &str) -> Option<Variable<'a>> {
        self.variables().find(|variable| variable.name() == name)
    }

    /// Names of the tools that the prompt lists, with their places.
    pub fn tools(self) -> impl Iterator<Item = (&'a str, Node<'a>)> + Clone + use<'a> {
        self.texts("tools")
    }

    /// The changes for single models.
    pub fn model_overrides(self) -> impl Iterator<Item = ModelOverride<'a>> + Clone + use<'a> {
        self.map("model_overrides").filter(|(_, node)| node.is_object()).map(|(_, node)| ModelOverride(node))
    }

    /// The guardrails.
    pub fn validators(self) -> impl Iterator<Item = Validator<'a>> + Clone + use<'a> {
        self.list("validators").filter(|node| node.is_object()).map(Validator)
    }

    /// The evals of this prompt alone.
    pub fn evals(self) -> impl Iterator<Item = Eval<'a>> + Clone + use<'a> {
        self.list("evals").filter(|node| node.is_object()).map(Eval)
    }

    /// The media settings.
    pub fn media(self) -> Option<Media<'a>> {
        self.get("media").filter(|node| node.is_object()).map(Media)
    }

    /// The media that the examples show: the `media` objects of their parts.
    pub fn media_references(self) -> impl Iterator<Item = Node<'a>> + Clone + use<'a> {
        let examples = self.media().into_iter().flat_map(|media| media.list("examples"));
        examples.flat_map(|example| example.list("parts")).filter_map(|part| part.get("media"))
    }
}

impl<'a> Variable<'a> {
    /// Its name; [`Prompt::variables`] yields only variables that have one.
    pub fn name(self) -> &'a str {
        self.text("name").unwrap_or_default()
    }

    /// Its declared type.
    pub fn type_name(self) -> Option<&'a str> {
        self.text("type")
    }

    /// Whether the caller has to send it, by `required`.
    pub fn is_required(self) -> bool {
        self.flag("required").unwrap_or(false)
    }

    /// Whether the runtime fills it from its context.
    pub fn is_auto_populated(self) -> bool {
        self.get("binding").and_then(|binding| binding.flag("auto_populate")).unwrap_or(false)
    }

    /// Its default, `null` left out: that is no value.
    pub fn default_value(self) -> Option<Node<'a>> {
        self.get("default").filter(|node| !node.is_null())
    }
}

impl<'a> Tool<'a> {
    /// Its key in `tools`, which is its identity.
    pub fn name_key(self) -> &'a str {
        self.key().unwrap_or_default()
    }

    /// The JSON Schema of its arguments.
    pub fn parameters(self) -> Option<Node<'a>> {
        self.get("parameters")
    }

    /// The schema of its arguments and every schema inside it, in the order of the text.
    pub fn schemas(self) -> impl Iterator<Item = Node<'a>> {
        const ONE: [&str; 11] = [
            "items",
            "contains",
            "additionalProperties",
            "unevaluatedProperties",
            "unevaluatedItems",
            "propertyNames",
            "not",
            "if",
            "then",
            "else",
            "additionalItems",
        ];
        const LISTS: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
        const MAPS: [&str; 5] =
            ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
        let mut open: Vec<Node<'a>> = self.parameters().into_iter().collect();
        std::iter::from_fn(move || {
            let schema = open.pop()?;
            let inner = schema.members().flat_map(|(key, value)| {
                let one = ONE.contains(&key).then_some(value);
                let list = LISTS.contains(&key).then(|| value.items()).into_iter().flatten();
                let map = MAPS.contains(&key).then(|| value.members()).into_iter().flatten();
                one.into_iter().chain(list).chain(map.map(|(_, schema)| schema))
            });
            open.extend(inner.filter(|schema| schema.is_object()).collect::<Vec<_>>().into_iter().rev());
            Some(schema)
        })
    }
}

impl<'a> Workflow<'a> {
    /// The states by key.
    pub fn states(self) -> impl DoubleEndedIterator<Item = State<'a>> + Clone + use<'a> {
        self.map("states").filter(|(_, node)| node.is_object()).map(|(_, node)| State(node))
    }

    /// The state of that key.
    pub fn state(self, key: &str) -> Option<State<'a>> {
        self.get("states")?.get(key).filter(|node| node.is_object()).map(State)
    }
}

impl<'a> State<'a> {
    /// Its key in `states`, which is its identity.
    pub fn name_key(self) -> &'a str {
        self.key().unwrap_or_default()
    }

    /// How the state is orchestrated; `internal` where nothing is said.
    pub fn orchestration(self) -> &'a str {
        self.text("orchestration").unwrap_or("internal")
    }

    /// The transitions as (event, target, place of the target).
    pub fn events(self) -> impl Iterator<Item = (&'a str, &'a str, Node<'a>)> + Clone + use<'a> {
        self.map("on_event").filter_map(|(event, target)| Some((event, target.as_str()?, target)))
    }
}

impl<'a> Agents<'a> {
    /// The agents by key, which names a prompt.
    pub fn members(self) -> impl Iterator<Item = Agent<'a>> + Clone + use<'a> {
        self.map("members").filter(|(_, node)| node.is_object()).map(|(_, node)| Agent(node))
    }
}

/// The three forms of an entry in `skills`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SkillForm<'a> {
    /// A path relative to the pack's folder, and its place.
    Path(&'a str, Node<'a>),
    /// A package reference `@org/name[@ref]`, and its place.
    Package(&'a str, Node<'a>),
    /// A skill that stands in the pack.
    Inline,
}

impl<'a> Skill<'a> {
    /// Which form the entry has; none where it has no form at all.
    pub fn form(self) -> Option<SkillForm<'a>> {
        let place = if self.as_str().is_some() { Some(self.0) } else { self.get("path") };
        match place.and_then(|place| Some((place.as_str()?, place))) {
            Some((reference, place)) if reference.starts_with('@') => {
                Some(SkillForm::Package(reference, place))
            }
            Some((path, place)) => Some(SkillForm::Path(path, place)),
            None => self.text("name").map(|_| SkillForm::Inline),
        }
    }
}

impl<'a> Composition<'a> {
    /// The top-level steps.
    pub fn steps(self) -> impl Iterator<Item = Step<'a>> + Clone + use<'a> {
        self.list("steps").filter(|node| node.is_object()).map(Step)
    }

    /// All steps, those inside a parallel included, outer ones first.
    pub fn all_steps(self) -> Vec<Step<'a>> {
        let mut all: Vec<Step<'a>> = self.steps().collect();
        let mut next = 0;
        while next < all.len() {
            all.extend(all[next].branches().collect::<Vec<_>>());
            next += 1;
        }
        all
    }
}

impl<'a> Step<'a> {
    /// Its id.
    pub fn id(self) -> Option<&'a str> {
        self.text("id")
    }

    /// Its kind.
    pub fn kind(self) -> Option<&'a str> {
        self.text("kind")
    }

    /// The key of the prompt that a prompt or agent step runs.
    pub fn prompt_task(self) -> Option<&'a str> {
        matches!(self.kind(), Some("prompt" | "agent")).then(|| self.text("prompt_task")).flatten()
    }

    /// The steps inside a parallel one.
    pub fn branches(self) -> impl Iterator<Item = Step<'a>> + Clone + use<'a> {
        let parallel = self.kind() == Some("parallel");
        self.list("branches").filter(move |node| parallel && node.is_object()).map(Step)
    }
}

impl<'a> Provider<'a> {
    /// The key that names it, in either form.
    pub fn name_key(self) -> Option<&'a str> {
        self.as_str().or_else(|| self.text("key"))
    }
}
