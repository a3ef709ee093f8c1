//! The attributes of an object, one row each: schema, data sources, update mask, messages and export
//! read the same rows. What an attribute has to say once is said in its row.

use plugin_server::schema::{computed, optional, optional_computed, required, set_of_strings};
use tf_provider::schema::{Attribute, AttributeType};

/// Everything that is said about an attribute. `F` is the type of the fields that an update sends.
pub(crate) struct Row<F> {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) value_type: ValueType,
    /// The description, for resource and data sources.
    pub(crate) description: &'static str,
    /// What the resource adds to the description.
    pub(crate) more: &'static str,
    /// The field that an update sends, and names in its mask.
    pub(crate) field: Option<F>,
    /// Whether an export writes it into a configuration.
    pub(crate) is_exported: bool,
}

/// How a resource has an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Required,
    Optional,
    OptionalComputed,
    Computed,
    /// An optional argument about creating, which the service does not record: data sources and exports
    /// do not have it.
    Behaviour,
}

/// The type of an attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueType {
    Text,
    Integer,
    Flag,
    SetOfTexts,
}

impl<F: Copy> Row<F> {
    /// Returns a row of an attribute that only the service sets, as text.
    pub(crate) const fn computed(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            form: Form::Computed,
            value_type: ValueType::Text,
            description,
            more: "",
            field: None,
            is_exported: false,
        }
    }

    /// Returns a row of an argument about creating.
    pub(crate) const fn behaviour(
        name: &'static str,
        value_type: ValueType,
        description: &'static str,
    ) -> Self {
        let row = Self::computed(name, description);
        Self { form: Form::Behaviour, value_type, ..row }
    }

    fn attribute_type(&self) -> AttributeType {
        match self.value_type {
            ValueType::Text => AttributeType::String,
            ValueType::Integer => AttributeType::Number,
            ValueType::Flag => AttributeType::Bool,
            ValueType::SetOfTexts => set_of_strings(),
        }
    }

    /// Returns the attribute of the resource.
    fn of_resource(&self) -> Attribute {
        let description = format!("{} {}", self.description, self.more);
        let new = match self.form {
            Form::Required => required,
            Form::Optional | Form::Behaviour => optional,
            Form::OptionalComputed => optional_computed,
            Form::Computed => computed,
        };
        new(self.attribute_type(), description.trim_end())
    }
}

/// Returns the attributes of a resource.
pub(crate) fn resource_attributes<F: Copy>(
    rows: &'static [Row<F>],
) -> impl Iterator<Item = (&'static str, Attribute)> {
    rows.iter().map(|row| (row.name, row.of_resource()))
}

/// Returns the attributes of an object in data sources, all of them computed.
pub(crate) fn data_attributes<F: Copy>(rows: &'static [Row<F>]) -> Vec<(&'static str, Attribute)> {
    let attribute = |row: &Row<F>| (row.name, computed(row.attribute_type(), row.description));
    recorded(rows).map(attribute).collect()
}

/// Returns the attributes that the service records, in order.
pub(crate) fn recorded<F>(rows: &'static [Row<F>]) -> impl Iterator<Item = &'static Row<F>> {
    rows.iter().filter(|row| row.form != Form::Behaviour)
}

/// Returns the arguments that an export writes, in order.
pub(crate) fn exported<F>(rows: &'static [Row<F>]) -> Vec<&'static str> {
    rows.iter().filter(|row| row.is_exported).map(|row| row.name).collect()
}

/// Returns the attribute that an update writes by a field.
pub(crate) fn attribute_of<F: Copy + PartialEq>(
    rows: &'static [Row<F>],
    field: F,
) -> Option<&'static str> {
    rows.iter().find(|row| row.field == Some(field)).map(|row| row.name)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use access_client::{Object, ObjectName as _};
    use serde_json::{Value, json};

    use super::*;
    use crate::resource::describe::StoredOf;
    use crate::resource::entity::Entity;

    /// Returns an object as the client reads it from a response.
    fn read<E: Object>(response: &Value) -> E {
        let name = E::Name::parse(response["name"].as_str().unwrap()).unwrap();
        let wire = serde_json::from_str(&response.to_string()).unwrap();
        E::of_wire(wire, name.parent(), None).unwrap()
    }

    fn values<S: serde::Serialize>(state: &S) -> Value {
        serde_json::to_value(state).unwrap()
    }

    /// Checks that each row reaches the state, generated configurations and the example. `response` returns
    /// every field, with values made of a text and a number.
    pub(crate) fn check_rows<E: Entity, F>(rows: &[Row<F>], response: fn(&str, u8) -> Value) {
        let (one, other) = (&response("one", 1), &response("other", 2));
        let stored = StoredOf::<E> { state: E::from_response(read(one)), ..Default::default() };
        let before = values(&stored.state);
        let after = values(&E::after_read(stored, read(other)).state);
        let mut configured = before.clone();
        for row in rows {
            let [before, after] = [&before, &after].map(|state| &state[row.name]);
            if row.form == Form::Behaviour {
                assert!(before.is_null() && after.is_null(), "{}", row.name);
                configured[row.name] = json!(true);
            } else {
                assert!(!before.is_null() && !after.is_null(), "{} is not in the state", row.name);
                assert_ne!(before, after, "{} does not change in the state", row.name);
            }
        }

        let generated = values(&E::generate_config(serde_json::from_value(configured).unwrap()));
        let path = format!("examples/resources/{}/resource.tf", E::WORDS.resource_type);
        let example = fs::read_to_string(path).unwrap();
        for row in rows {
            let expected =
                if row.form == Form::Behaviour { &Value::Null } else { &before[row.name] };
            assert_eq!(&generated[row.name], expected, "{}", row.name);
            let is_shown =
                example.lines().any(|line| line.split_whitespace().next() == Some(row.name));
            assert!(is_shown || !row.is_exported, "{} is not in the example", row.name);
        }
    }
}
